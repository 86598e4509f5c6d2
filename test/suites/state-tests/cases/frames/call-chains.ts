import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import type { StateCase, Theme } from "../case.ts";
import { call, returnMemory, store } from "../program.ts";

type Kind = "CALL" | "CALLCODE" | "DELEGATECALL";

/** Kinds of calls in names of files. */
export const LETTERS: Readonly<Record<Kind, string>> = {
  CALL: "call",
  CALLCODE: "callcode",
  DELEGATECALL: "delegatecall",
};

const [FIRST, SECOND, THIRD] = [0xa1, 0xa2, 0xa3];

/** Each level of a chain of calls stores its address, caller, value and input. */
export const MARKS = "ADDRESS 0 SSTORE CALLER 1 SSTORE CALLVALUE 2 SSTORE 0 CALLDATALOAD 3 SSTORE";

/** How the innermost of a chain of calls ends. */
const ENDS: Readonly<Record<string, string>> = {
  returns: `${store(9, "77")} 0xbeef 0 MSTORE ${returnMemory()}`,
  runsOut: `${store(9, "77")} on: @on JUMP`,
  destroys: `${store(9, "77")} ${FIRST} SELFDESTRUCT`,
};

/** Three nested calls; every level stores its context and the result of the level below. */
function chain(kinds: readonly [Kind, Kind, Kind], end: string, on: readonly EthereumFork[]): StateCase {
  const level = (mark: number, kind: Kind, to: number, gas: number) =>
    `${MARKS} ${mark} 0 MSTORE ${call(kind, to, { gas, value: mark, input: [0, 32], output: [32, 32] })} ${mark} SSTORE 32 MLOAD ${mark + 1} SSTORE`;
  return {
    name: `${kinds.map((kind) => LETTERS[kind]).join("_")}_${end}`,
    about: "address, caller, value, storage and output through three levels of calls",
    forks: on,
    code: level(20, kinds[0], FIRST, 400_000),
    target: { balance: 1000n },
    accounts: {
      [FIRST]: { balance: 300n, nonce: 1n, code: level(30, kinds[1], SECOND, 250_000) },
      [SECOND]: { balance: 300n, nonce: 1n, code: level(40, kinds[2], THIRD, 80_000) },
      [THIRD]: { balance: 300n, nonce: 1n, code: `${MARKS} ${ENDS[end]}` },
    },
    gas: [900_000],
    value: [5n],
  };
}

const triples = (kinds: readonly Kind[]) =>
  kinds.flatMap((a) => kinds.flatMap((b) => kinds.map((c) => [a, b, c] as const)));

const mixed = (kinds: readonly [Kind, Kind, Kind]) => new Set(kinds).size > 1;

const END_NAMES = Object.keys(ENDS);

/** Chains of some kinds of calls, each with one end, in turn. */
function chains(kinds: readonly Kind[], on: readonly EthereumFork[]): StateCase[] {
  return triples(kinds)
    .filter(mixed)
    .flatMap((triple, i) => [
      chain(triple, END_NAMES[i % 3] as string, on),
      chain(triple, END_NAMES[(i + 1) % 3] as string, on.slice(-1)),
    ]);
}

const callCodes: Theme = {
  directory: "stCallCodes",
  cases: chains(["CALL", "CALLCODE"], ["Frontier", "EIP150", "Istanbul", "Osaka"]),
};

const delegateCodes: Theme = {
  directory: "stCallDelegateCodesHomestead",
  cases: chains(["CALL", "DELEGATECALL"], ["Homestead", "EIP158", "Berlin", "Osaka"]),
};

const delegateCallCodes: Theme = {
  directory: "stCallDelegateCodesCallCodeHomestead",
  cases: chains(["CALLCODE", "DELEGATECALL"], ["Homestead", "Byzantium", "Cancun"]),
};

/** Chains of three calls. */
export const CALL_CHAINS: readonly Theme[] = [callCodes, delegateCodes, delegateCallCodes];
