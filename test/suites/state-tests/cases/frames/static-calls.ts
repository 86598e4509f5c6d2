import { type StateCase, since, type Theme } from "../case.ts";
import { call, returnMemory, store } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

const STATIC = since("Byzantium");

/** Instructions that a static call forbids, and some that it allows. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  sstore: "1 1 SSTORE",
  sstoreOfSameValue: "0 1 SSTORE",
  log0: "0 0 LOG0",
  log1: "1 0 0 LOG1",
  log2: "1 2 0 0 LOG2",
  log3: "1 2 3 0 0 LOG3",
  log4: "1 2 3 4 0 0 LOG4",
  create: "0 0 0 CREATE",
  create2: "0 0 0 0 CREATE2",
  selfdestruct: `${THIRD} SELFDESTRUCT`,
  callWithValue: call("CALL", THIRD, { value: 1 }),
  callWithValueToNobody: call("CALL", 0x404, { value: 1 }),
  transientStore: "1 1 TSTORE",
};

const ALLOWED: Readonly<Record<string, string>> = {
  callWithoutValue: call("CALL", THIRD),
  callCodeWithValue: call("CALLCODE", THIRD, { value: 1 }),
  delegateCall: call("DELEGATECALL", THIRD),
  staticCall: call("STATICCALL", THIRD),
  reads: "1 SLOAD BALANCE EXTCODESIZE SELFBALANCE ADD",
  transientLoad: "1 TLOAD",
  precompile: call("CALL", 2, { input: [0, 32], output: [0, 32] }),
};

/** A static call of a contract that does one thing and reports its success and remaining gas. */
function underStatic(name: string, piece: string, verb: string): StateCase {
  return {
    name,
    about: `a static call of code with ${name}, which is ${verb}, directly and one or two calls below`,
    forks: STATIC,
    code: `GAS ${call("STATICCALL", OTHER, { output: [0, 32] })} 0 SSTORE GAS SWAP1 SUB 1 SSTORE 0 MLOAD 2 SSTORE
      GAS ${call("STATICCALL", 0xd1, { gas: 120_000, output: [0, 32] })} 3 SSTORE GAS SWAP1 SUB 4 SSTORE 0 MLOAD 5 SSTORE`,
    accounts: {
      [OTHER]: { nonce: 1n, balance: 5n, code: `${piece} 0x600d 0 MSTORE ${returnMemory()}` },
      [THIRD]: { nonce: 1n, code: "STOP" },
      209: {
        nonce: 1n,
        code: `${call("CALL", 0xd2, { gas: 90_000, output: [0, 32] })} 0 MLOAD ADD 0 MSTORE ${returnMemory()}`,
      },
      210: {
        nonce: 1n,
        balance: 5n,
        code: `${call("DELEGATECALL", OTHER, { output: [0, 32] })} 0 MLOAD ADD 0 MSTORE ${returnMemory()}`,
      },
    },
  };
}

const staticCall: Theme = {
  directory: "stStaticCall",
  cases: [
    ...Object.entries(FORBIDDEN).map(([name, piece]) => underStatic(name, piece, "forbidden")),
    ...Object.entries(ALLOWED).map(([name, piece]) => underStatic(name, piece, "allowed")),
    {
      name: "beforeByzantium",
      about: "0xfa is no instruction before Byzantium",
      forks: ["EIP158", "Byzantium", "Osaka"],
      code: store(0, call("STATICCALL", OTHER)),
    },
    {
      name: "depthLimit",
      about: "static calls count towards the depth of 1024",
      forks: ["Byzantium", "Berlin", "Osaka"],
      code: `${call("STATICCALL", OTHER, { gas: "GAS", output: [0, 32] })} POP 0 MLOAD 0 SSTORE`,
      accounts: {
        [OTHER]: {
          code: `${call("STATICCALL", OTHER, { gas: "500 GAS SUB", output: [0, 32] })} POP 0 MLOAD 1 ADD 0 MSTORE ${returnMemory()}`,
        },
      },
      gas: [12_000_000],
    },
  ],
};

const staticFlag: Theme = {
  directory: "stStaticFlagEnabled",
  cases: (["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"] as const).flatMap((kind): StateCase[] => [
    {
      name: `staticThen_${kind.toLowerCase()}`,
      about: "no kind of call below a static one may write again",
      forks: STATIC,
      code: `${store(0, call("STATICCALL", OTHER, { gas: 150_000, output: [0, 32] }))} 0 MLOAD 1 SSTORE`,
      accounts: {
        [OTHER]: { nonce: 1n, balance: 1n, code: `${call(kind, THIRD)} 0 MSTORE ${returnMemory()}` },
        [THIRD]: { nonce: 1n, code: "1 0 SSTORE" },
      },
    },
    {
      name: `${kind.toLowerCase()}_afterStatic`,
      about: "after a static call has returned the caller may write again, by any kind of call",
      forks: STATIC,
      code: `${store(0, call("STATICCALL", OTHER))} ${store(1, call(kind, OTHER))}`,
      accounts: { [OTHER]: { nonce: 1n, code: "1 5 SSTORE" } },
    },
    {
      name: `${kind.toLowerCase()}_precompileWithValue`,
      about: "value to a precompile under a static call",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: `${store(0, call("STATICCALL", OTHER, { output: [0, 64] }))} 0 MLOAD 1 SSTORE 32 MLOAD 2 SSTORE`,
      accounts: {
        [OTHER]: {
          nonce: 1n,
          balance: 3n,
          code: `${call(kind, 2, { value: 1, output: [32, 32] })} 0 MSTORE ${returnMemory(64)}`,
        },
      },
    },
  ]),
};

/** Calls that may not write. */
export const STATIC_CALLS: readonly Theme[] = [staticCall, staticFlag];
