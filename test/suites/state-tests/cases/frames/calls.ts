import { type CaseAccount, type StateCase, since, TARGET, type Theme } from "../case.ts";
import { call, create, deploy, repeat, returnMemory, store, words, write } from "../program.ts";
import { LETTERS, MARKS } from "./call-chains.ts";

const [FIRST, SECOND, THIRD] = [0xa1, 0xa2, 0xa3];

/** An account that counts how deep it calls itself. */
const RECURSIVE = `0 SLOAD 1 ADD 0 SSTORE ${call("CALL", "ADDRESS", { gas: "3000 GAS SUB" })} POP`;

const callCreate: Theme = {
  directory: "stCallCreateCallCodeTest",
  cases: [
    {
      name: "callWithMoreThanBalance",
      about: "a call or code call with more value than there is fails before it runs; the gas comes back",
      forks: since("Frontier"),
      code: `${store(0, call("CALL", FIRST, { value: 11 }))} ${store(1, call("CALLCODE", FIRST, { value: 11 }))} GAS 2
        SSTORE ${store(3, call("CALL", FIRST, { value: 10 }))}`,
      target: { balance: 10n },
      accounts: { [FIRST]: { code: "1 0 SSTORE" } },
    },
    {
      name: "depthLimit",
      about: "the call at depth 1025 fails; before EIP-150 all gas can go down there",
      forks: ["Frontier", "Homestead", "EIP150", "Berlin", "Osaka"],
      code: RECURSIVE,
      gas: [14_000_000],
    },
    {
      name: "createThenCall",
      about: "a contract calls what it has created, by all three kinds of calls",
      forks: ["Homestead", "EIP158", "Berlin", "Osaka"],
      code: `${create(deploy("CALLVALUE 0 SLOAD ADD 1 ADD 0 SSTORE"), 3)} ${repeat(
        3,
        (i) =>
          `${call((["CALL", "CALLCODE", "DELEGATECALL"] as const)[i] ?? "CALL", `${i < 2 ? "DUP6" : "DUP5"}`, { value: 1 })} ${10 + i} SSTORE`,
      )} 20 SSTORE`,
      target: { balance: 10n },
    },
    {
      name: "creationCallsBack",
      about: "init code calls its creator, whose nonce and storage it sees changed",
      forks: ["Homestead", "Byzantium", "Osaka"],
      code: `CALLDATASIZE @back JUMPI ${store(1, "5")}
        ${create(`${store(0, call("CALL", TARGET, { input: [0, 1], output: [0, 32] }))} 0 MLOAD 1 SSTORE`)} 0 SSTORE
        STOP back: 1 SLOAD 0 MSTORE 6 2 SSTORE ${returnMemory()}`,
    },
    {
      name: "stipend",
      about:
        "value brings 2,300 gas, for the callee only and on top of what is asked; enough to log, not to store",
      forks: since("Frontier"),
      code: `${store(0, call("CALL", FIRST, { gas: 0, value: 1 }))} ${store(1, call("CALL", SECOND, { gas: 0, value: 1 }))}
        ${store(2, call("CALLCODE", FIRST, { gas: 0, value: 1 }))}
        ${store(3, call("CALL", THIRD, { gas: 0, value: 1 }))} ${store(4, call("CALL", FIRST, { gas: 0 }))}`,
      target: { balance: 10n },
      accounts: {
        [FIRST]: { code: "7 0 0 LOG1" },
        [SECOND]: { code: "1 0 SSTORE" },
        [THIRD]: { code: `GAS 0 MSTORE 32 0 LOG0` },
      },
    },
    {
      name: "outputShorterThanAsked",
      about: "a call's output fills no more than there is, and no more than was asked",
      forks: since("Frontier"),
      code: `${words(-1).length} 0 MSTORE ${2n ** 256n - 1n} 0 MSTORE ${2n ** 256n - 1n} 32 MSTORE
        ${call("CALL", FIRST, { output: [0, 64] })} POP 0 MLOAD 0 SSTORE 32 MLOAD 1 SSTORE
        ${call("CALL", FIRST, { output: [64, 5] })} POP 64 MLOAD 2 SSTORE MSIZE 3 SSTORE`,
      accounts: { [FIRST]: { code: `${write(words(0x1122334455n << 200n))} ${returnMemory(40)}` } },
    },
  ],
};

const delegates: Theme = {
  directory: "stDelegatecallTestHomestead",
  cases: [
    {
      name: "opcodeBeforeHomestead",
      about: "0xf4 is no instruction on Frontier",
      forks: ["Frontier", "Homestead", "Osaka"],
      code: store(0, call("DELEGATECALL", FIRST)),
      accounts: { [FIRST]: { code: MARKS } },
      value: [0n, 9n],
    },
    {
      name: "inInitCode",
      about: "init code writes the new account's storage through a library",
      forks: ["Homestead", "EIP158", "Osaka"],
      code: create(call("DELEGATECALL", FIRST), 4),
      target: { balance: 10n },
      accounts: { [FIRST]: { code: MARKS } },
    },
    {
      name: "toPrecompiles",
      about: "a precompile answers through a delegate call as through a call",
      forks: ["Homestead", "Istanbul", "Osaka"],
      code: repeat(
        4,
        (i) =>
          `${write(words(i + 1))}${store(i, call("DELEGATECALL", i + 1, { input: [0, 32], output: [32, 32] }))} 32 MLOAD ${i + 8} SSTORE`,
      ),
    },
    {
      name: "toNothing",
      about: "a delegate call to an account without code succeeds, costs its gas and touches nothing",
      forks: since("Homestead"),
      code: `GAS ${store(0, call("DELEGATECALL", 0x404, { gas: 5 }))} GAS SWAP1 SUB 1 SSTORE RETURNDATASIZE`,
    },
    {
      name: "destroysCaller",
      about: "SELFDESTRUCT in a library ends the account that delegates",
      forks: since("Homestead"),
      code: `${store(0, "1")} ${call("DELEGATECALL", FIRST)} 1 SSTORE`,
      target: { balance: 10n, storage: { 5: 5n } },
      accounts: { [FIRST]: { code: `${SECOND} SELFDESTRUCT`, balance: 1n } },
    },
    {
      name: "gasOfAll",
      about: "a delegate call may pass on everything before EIP-150 and all but a 64th after it",
      forks: since("Homestead"),
      code: `${store(0, call("DELEGATECALL", FIRST, { gas: "0 CALLDATALOAD" }))} 1 1 SSTORE`,
      accounts: { [FIRST]: { code: "GAS 7 SSTORE" } },
      data: [words(20_100), words(60_000), words(2n ** 255n)],
      gas: [150_000],
    },
  ],
};

/** One file for each kind of call without or with value to accounts of every state. */
function plainCalls(value: number): StateCase[] {
  const kinds = ["CALL", "CALLCODE", "DELEGATECALL"] as const;
  const callees: Readonly<Record<string, CaseAccount | undefined>> = {
    absent: undefined,
    funded: { balance: 1n },
    stored: { nonce: 1n, code: "CALLVALUE 0 SSTORE", storage: { 7: 1n } },
  };
  const plain = kinds.flatMap((kind) =>
    Object.entries(callees).map(
      ([state, account]): StateCase => ({
        name: `${LETTERS[kind]}_${state}`,
        about: `${kind} with value ${value} to an account that is ${state}: its price, and whether the account exists afterwards`,
        forks: ["Frontier", "EIP150", "EIP158", "Berlin", "Osaka"],
        code: `GAS ${call(kind, FIRST, { value })} GAS SWAP2 SUB 0 SSTORE 1 SSTORE`,
        target: { balance: 10n },
        ...(account && { accounts: { [FIRST]: account } }),
      }),
    ),
  );
  const selfdestruct: StateCase = {
    name: "selfdestruct_absent",
    about: `SELFDESTRUCT with balance ${value} to an account that is absent`,
    forks: since("Frontier"),
    code: `${call("CALL", SECOND)} 0 SSTORE`,
    accounts: { [SECOND]: { nonce: 1n, balance: BigInt(value), code: `${FIRST} SELFDESTRUCT` } },
    edges: true,
  };
  return [...plain, selfdestruct];
}

const zeroCalls: Theme = { directory: "stZeroCallsTest", cases: plainCalls(0) };

const nonZeroCalls: Theme = { directory: "stNonZeroCallsTest", cases: plainCalls(1) };

const zeroCallsRevert: Theme = {
  directory: "stZeroCallsRevert",
  cases: (["CALL", "CALLCODE", "DELEGATECALL", "SELFDESTRUCT"] as const).map((kind) => ({
    name: kind.toLowerCase(),
    about: "touching an empty account is undone when the frame around it fails: the account stays",
    forks: ["EIP150", "EIP158", "Byzantium", "Osaka"] as const,
    code: `${store(0, call("CALL", SECOND, { gas: 100_000 }))} ${store(1, `${FIRST} BALANCE`)}`,
    accounts: {
      [FIRST]: { balance: 0n },
      [SECOND]: {
        nonce: 1n,
        code: kind === "SELFDESTRUCT" ? `${call("CALL", THIRD)} INVALID` : `${call(kind, FIRST)} INVALID`,
      },
      [THIRD]: { nonce: 1n, code: `${FIRST} SELFDESTRUCT` },
    },
  })),
};

/** Calls, their costs and effects. */
export const CALLS: readonly Theme[] = [callCreate, delegates, zeroCalls, nonZeroCalls, zeroCallsRevert];
