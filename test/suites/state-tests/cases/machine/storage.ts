import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { type StateCase, since, TARGET, type Theme } from "../case.ts";
import { call, create, deploy, repeat, returnMemory, store, words } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

/** The forks that changed the gas or refunds of storage. */
const PRICES: readonly EthereumFork[] = [
  "Frontier",
  "Constantinople",
  "ConstantinopleFix",
  "Istanbul",
  "Berlin",
  "London",
  "Osaka",
];

/** Writes two values in turn to a slot that holds `original`, storing the gas of each write. */
function transitions(original: bigint): StateCase {
  return {
    name: `from${original}`,
    about: `a slot that holds ${original} is written twice: set, changed, cleared, restored, and what that gives back`,
    forks: PRICES,
    code: "GAS 0 CALLDATALOAD 0 SSTORE GAS 32 CALLDATALOAD 0 SSTORE GAS DUP2 DUP2 SWAP1 SUB 1 SSTORE POP SWAP1 SUB 2 SSTORE",
    target: { storage: { ...(original > 0n && { 0: original }), 1: 1n, 2: 1n } },
    data: [0n, 1n, 2n].flatMap((a) => [0n, 1n, 2n].map((b) => words(a, b))),
    gas: [200_000],
  };
}

const sstore: Theme = {
  directory: "stSStoreTest",
  cases: [
    ...[0n, 1n, 2n].map(transitions),
    {
      name: "fourWrites",
      about: "four writes of a slot: refunds are given and taken back in every order",
      forks: PRICES,
      code: repeat(4, (i) => `${i * 32} CALLDATALOAD 0 SSTORE`),
      target: { storage: { 0: 1n } },
      data: [words(0, 1, 0, 1), words(0, 2, 1, 0), words(2, 0, 2, 1), words(1, 0, 0, 3), words(0, 0, 1, 2)],
      gas: [200_000],
    },
    {
      name: "sentry",
      about: "from Istanbul on a write with 2,300 gas or less left fails, whatever it costs",
      forks: ["Constantinople", "Istanbul", "Berlin", "Osaka"],
      code: `${store(0, call("CALL", OTHER, { gas: "0 CALLDATALOAD" }))}`,
      accounts: { [OTHER]: { code: "1 1 SSTORE", storage: { 1: 1n } } },
      data: [2306, 2307, 2206, 4407, 4406].map((gas) => words(gas)),
    },
    {
      name: "acrossCalls",
      about: "the original value is that before the transaction, also in calls and reverted frames",
      forks: PRICES,
      code: `CALLDATASIZE 0 EQ @inner JUMPI 0 0 SSTORE ${call("CALL", TARGET)} POP 0 CALLDATALOAD 0 SSTORE STOP inner: 5 0 SSTORE INVALID`,
      target: { storage: { 0: 5n } },
      data: [words(5), words(0), words(9)],
    },
    {
      name: "inNewContract",
      about: "a new contract's slots are zero to begin with",
      forks: PRICES,
      code: `${create(deploy("0 0 SSTORE", "1 0 SSTORE 0 1 SSTORE"))} DUP1 2 SSTORE ${call("CALL", "DUP6")} 3 SSTORE`,
    },
    {
      name: "coldAndWarm",
      about: "the first touch of a slot costs 2,100 more from Berlin on, read or written or listed",
      forks: ["Istanbul", "Berlin", "Osaka"],
      code: "GAS 1 5 SSTORE GAS 2 5 SSTORE GAS 6 SLOAD POP GAS 3 6 SSTORE GAS 7 SLOAD POP GAS SWAP5 SUB 50 SSTORE SWAP3 SUB 51 SSTORE SUB 52 SSTORE",
      target: { storage: { 5: 9n, 6: 9n, 7: 9n } },
      edges: true,
    },
  ],
};

const sload: Theme = {
  directory: "stSLoadTest",
  cases: [
    {
      name: "prices",
      about: "50, 200, 800, then 2,100 cold and 100 warm",
      forks: since("Frontier"),
      code: "GAS 0 SLOAD POP GAS 0 SLOAD POP GAS DUP2 DUP2 SWAP1 SUB 1 SSTORE POP SWAP1 SUB 2 SSTORE",
      target: { storage: { 0: 7n } },
      edges: true,
    },
    {
      name: "wideKeys",
      about: "keys are whole words",
      forks: ["Frontier", "Berlin", "Osaka"],
      code: `${repeat(4, (i) => `${i + 1} ${[0n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n][i]} SSTORE`)}
        ${repeat(4, (i) => `${[0n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n][i]} SLOAD`)} ADD ADD ADD 5 SSTORE`,
    },
    {
      name: "revertedReadStaysCold",
      about: "a slot that only a reverted frame has touched is cold again",
      forks: ["Istanbul", "Berlin", "London", "Osaka"],
      code: `CALLDATASIZE ISZERO @inner JUMPI ${call("CALL", TARGET)} POP GAS 0 SLOAD POP GAS SWAP1 SUB 1 SSTORE STOP inner:
        0 SLOAD POP ${returnMemory(0, 0, "REVERT")}`,
      target: { storage: { 0: 7n } },
      data: [words(1)],
    },
  ],
};

const refund: Theme = {
  directory: "stRefundTest",
  cases: [
    {
      name: "clears",
      about: "cleared slots give back up to half of the gas, a fifth from London on",
      forks: PRICES,
      code: "0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI 0 DUP2 SSTORE 1 SWAP1 SUB @loop JUMP end: STOP",
      target: { storage: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [i + 1, 1n])) },
      data: [0, 1, 2, 4, 9].map((count) => words(count)),
      gas: [150_000],
    },
    {
      name: "lostWithFailure",
      about: "a frame that fails or reverts gives nothing back",
      forks: ["Frontier", "Byzantium", "Istanbul", "London", "Osaka"],
      code: `0 5 SSTORE ${store(1, call("CALL", OTHER))} ${store(2, call("CALL", THIRD))}`,
      target: { storage: { 5: 1n } },
      accounts: {
        [OTHER]: { code: "0 1 SSTORE INVALID", storage: { 1: 1n } },
        [THIRD]: { code: `0 1 SSTORE ${returnMemory(0, 0, "REVERT")}`, storage: { 1: 1n } },
      },
    },
    {
      name: "wholeTransactionFails",
      about: "a transaction that fails pays all, one that reverts pays what it used",
      forks: ["Frontier", "Byzantium", "London", "Osaka"],
      code: `0 1 SSTORE 0 2 SSTORE CALLDATASIZE @out JUMPI INVALID out: ${returnMemory(0, 0, "REVERT")}`,
      target: { storage: { 1: 1n, 2: 1n } },
      data: ["", words(1)],
      gas: [100_000],
    },
    {
      name: "selfdestruct",
      about: "24,000 for each destroyed account, once; nothing from London on",
      forks: ["Frontier", "Istanbul", "Berlin", "London", "Osaka"],
      code: `${call("CALL", OTHER)} POP ${call("CALL", OTHER)} POP ${call("CALL", THIRD)} POP 1 0 SSTORE`,
      accounts: {
        [OTHER]: { nonce: 1n, code: `${THIRD} SELFDESTRUCT` },
        [THIRD]: { nonce: 1n, code: "ADDRESS SELFDESTRUCT" },
      },
    },
    {
      name: "exactGas",
      about: "a refund does not help a transaction that lacks gas on the way",
      forks: ["Frontier", "Istanbul", "London", "Osaka"],
      code: "0 1 SSTORE 0 2 SSTORE 1 3 SSTORE",
      target: { storage: { 1: 1n, 2: 1n } },
      edges: true,
    },
    {
      name: "thenResetByCaller",
      about: "what one contract clears another call restores: the refund goes below where it was",
      forks: ["Constantinople", "Istanbul", "London", "Osaka"],
      code: `${call("CALL", OTHER, { input: [0, 0] })} POP 1 0 MSTORE ${call("CALL", OTHER, { input: [0, 32] })} POP`,
      accounts: { [OTHER]: { code: "0 CALLDATALOAD 1 SSTORE", storage: { 1: 1n } } },
    },
  ],
};

/** Storage and its refunds. */
export const STORAGE: readonly Theme[] = [sstore, sload, refund];
