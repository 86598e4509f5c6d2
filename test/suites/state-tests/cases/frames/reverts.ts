import { type AccessListSource, since, TARGET, type Theme } from "../case.ts";
import { call, create, deploy, repeat, returnMemory, store, words, write } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

const revert: Theme = {
  directory: "stRevertTest",
  cases: [
    {
      name: "beforeByzantium",
      about: "0xfd came with Byzantium; it gives gas back",
      forks: ["EIP158", "Byzantium", "Berlin", "Osaka"],
      code: `${store(0, call("CALL", OTHER))} GAS 1 SSTORE`,
      accounts: { [OTHER]: { code: `1 0 SSTORE ${returnMemory(0, 0, "REVERT")}` } },
    },
    {
      name: "undoesEverything",
      about: "value, storage, logs, creations and nonces of the frame are undone",
      forks: since("Byzantium"),
      code: `${store(0, call("CALL", OTHER, { gas: 200_000, value: 3, output: [0, 64] }))} 0 MLOAD 1 SSTORE RETURNDATASIZE 2 SSTORE 1 0 0 LOG1`,
      target: { balance: 10n },
      accounts: {
        [OTHER]: {
          nonce: 1n,
          balance: 5n,
          code: `1 0 SSTORE 2 0 0 LOG1 ${call("CALL", THIRD, { value: 2 })} POP ${create(deploy("STOP"))} 0 MSTORE ${returnMemory(32, 0, "REVERT")}`,
        },
      },
    },
    {
      name: "ofTheTransaction",
      about: "a transaction that reverts keeps the nonce and the price of what it used",
      forks: ["Byzantium", "London", "Prague", "Osaka"],
      code: `1 0 SSTORE 0 CALLDATALOAD 0 REVERT`,
      data: [words(0), words(64), words(2n ** 64n)],
      gas: [100_000],
      value: [0n, 1n],
      edges: true,
    },
    {
      name: "depth",
      about: "only the frame that reverts is undone, not the one above nor the one beside",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: `1 0 SSTORE ${call("CALL", OTHER, { gas: 150_000 })} 1 SSTORE`,
      accounts: {
        [OTHER]: {
          nonce: 1n,
          code: `${store(0, call("CALL", THIRD, { input: [0, 0] }))} 1 0 MSTORE ${store(1, call("CALL", THIRD, { input: [0, 32] }))}`,
        },
        [THIRD]: {
          nonce: 1n,
          code: `1 0 SSTORE CALLDATASIZE @out JUMPI 2 1 SSTORE STOP out: 3 1 SSTORE ${returnMemory(0, 0, "REVERT")}`,
        },
      },
    },
    {
      name: "inInitCode",
      about: "a creation that reverts hands its data to the creator, keeps the nonce and gives gas back",
      forks: since("Byzantium"),
      code: `${create(`0xdead 0 MSTORE 1 0 SSTORE ${returnMemory(32, 0, "REVERT")}`, 2)} 0 SSTORE RETURNDATASIZE 1 SSTORE 32
        0 0 RETURNDATACOPY 0 MLOAD 2 SSTORE GAS 3 SSTORE`,
      target: { balance: 10n },
    },
    {
      name: "outputRegion",
      about: "revert data fills the output region like a result",
      forks: ["Byzantium", "Osaka"],
      code: `${call("CALL", OTHER, { output: [16, 16] })} POP 0 MLOAD 0 SSTORE
        ${call("DELEGATECALL", OTHER, { output: [0, 64] })} POP 0 MLOAD 1 SSTORE 32 MLOAD 2 SSTORE`,
      accounts: { [OTHER]: { code: `${write(words(2n ** 256n - 2n, 7))} ${returnMemory(48, 0, "REVERT")}` } },
    },
  ],
};

const returnData: Theme = {
  directory: "stReturnDataTest",
  cases: [
    {
      name: "sizesAndCopies",
      about: "RETURNDATACOPY beyond the end fails; up to the end it does not, of nothing either",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: `${call("CALL", OTHER)} POP 0 CALLDATALOAD 32 CALLDATALOAD 0 RETURNDATACOPY 0 MLOAD 0 SSTORE MSIZE 1 SSTORE`,
      accounts: { [OTHER]: { code: `0x1234 0 MSTORE ${returnMemory(40)}` } },
      data: [words(40, 0), words(41, 0), words(0, 40), words(0, 41), words(8, 32), words(1, 40)],
      gas: [100_000],
    },
    {
      name: "beforeAnyCall",
      about: "without a call there is nothing to copy",
      forks: ["EIP158", "Byzantium", "Osaka"],
      code: `${store(2, call("CALL", OTHER))} ${store(3, call("CALL", THIRD))} GAS 4 SSTORE`,
      accounts: {
        [OTHER]: { code: "RETURNDATASIZE 0 SSTORE 0 0 0 RETURNDATACOPY 1 1 SSTORE" },
        [THIRD]: { code: "1 0 SSTORE 1 0 0 RETURNDATACOPY" },
      },
    },
    {
      name: "afterEachKind",
      about: "every kind of call leaves its data, whether it succeeds, reverts or fails",
      forks: since("Byzantium"),
      code: repeat(4, (i) => {
        const kind = (["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"] as const)[i] ?? "CALL";
        return [OTHER, THIRD, 0xfa11]
          .map((to, j) => store(i * 8 + j, `${call(kind, to)} 1000 MUL RETURNDATASIZE ADD`))
          .join(" ");
      }),
      accounts: {
        [OTHER]: { code: returnMemory(33) },
        [THIRD]: { code: returnMemory(5, 0, "REVERT") },
        [0xfa11]: { code: "INVALID" },
      },
      gas: [1_200_000],
    },
    {
      name: "ofPrecompiles",
      about: "precompiles leave return data too",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: repeat(5, (i) => store(i, `${call("STATICCALL", i + 1, { input: [0, 96] })} POP RETURNDATASIZE`)),
      gas: [600_000],
    },
    {
      name: "copyGas",
      about: "3 a word and the memory",
      forks: ["Byzantium", "Berlin", "Osaka"],
      code: `${call("CALL", OTHER)} POP GAS 0 CALLDATALOAD 0 0 RETURNDATACOPY GAS SWAP1 SUB 0 SSTORE`,
      accounts: { [OTHER]: { code: returnMemory(2000) } },
      data: [0, 1, 32, 33, 2000].map((size) => words(size)),
      edges: true,
    },
    {
      name: "ofSuccessfulCreation",
      about: "a creation that succeeds leaves none, also when its code is long",
      forks: ["Byzantium", "Constantinople", "Osaka"],
      code: `${call("CALL", OTHER)} POP ${create(deploy(new Uint8Array(50)))} POP RETURNDATASIZE 0 SSTORE`,
      accounts: { [OTHER]: { code: returnMemory(33) } },
    },
  ],
};

/** A list of the other contract and some of its slots. */
const LIST: AccessListSource = [
  [OTHER, [0, 1]],
  [TARGET, [5]],
];

const accessLists: Theme = {
  directory: "stEIP2930",
  cases: [
    {
      name: "listedAreWarm",
      about: "listed accounts and slots are warm, with or without use, listed twice or not",
      forks: ["Berlin", "London", "Cancun", "Osaka"],
      code: `GAS ${OTHER} BALANCE POP GAS SWAP1 SUB 0 SSTORE GAS 5 SLOAD POP GAS SWAP1 SUB 1 SSTORE GAS 6 SLOAD POP GAS
        SWAP1 SUB 2 SSTORE ${store(3, call("CALL", OTHER))}`,
      accounts: { [OTHER]: { code: "GAS 0 SLOAD POP GAS SWAP1 SUB 2 SSTORE" } },
      data: ["", Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)],
      accessLists: [null, LIST, [...LIST, ...LIST], []],
      edges: true,
    },
    {
      name: "beforeBerlin",
      about: "a transaction with an access list is refused before Berlin",
      forks: ["Istanbul", "Berlin"],
      code: store(0, "1"),
      accessLists: [LIST],
    },
    {
      name: "intrinsicGas",
      about: "2,400 an address and 1,900 a slot, before anything runs",
      forks: ["Berlin", "Prague", "Osaka"],
      to: OTHER,
      accessLists: [LIST],
      gas: [31_500, 31_499, 40_000],
    },
    {
      name: "ofTheNewContract",
      about: "a list can name the contract that the transaction makes",
      forks: ["Berlin", "Osaka"],
      to: null,
      data: ["GAS 0 SLOAD POP GAS SWAP1 SUB 1 SSTORE", "GAS 9 SLOAD POP GAS SWAP1 SUB 1 SSTORE"],
      accessLists: [LIST, []],
      edges: true,
    },
    {
      name: "precompilesAndCoinbase",
      about: "precompiles and sender are warm without a list; the coinbase from Shanghai on",
      forks: ["Berlin", "London", "Shanghai", "Prague", "Osaka"],
      code: repeat(
        7,
        (i) =>
          `GAS ${["1", "9", "10", "17", "256", "COINBASE", "ORIGIN"][i]} BALANCE POP GAS SWAP1 SUB ${i} SSTORE`,
      ),
    },
    {
      name: "revertedFramesCool",
      about: "what a reverted frame has warmed is cold again, what the list has warmed stays",
      forks: ["Berlin", "Cancun", "Osaka"],
      code: `${call("CALL", OTHER)} POP GAS 0xaaa BALANCE POP GAS SWAP1 SUB 0 SSTORE GAS 0xbbb BALANCE POP GAS SWAP1 SUB 1 SSTORE`,
      accounts: { [OTHER]: { code: `0xaaa BALANCE POP 0xbbb BALANCE POP ${returnMemory(0, 0, "REVERT")}` } },
      accessLists: [[[0xbbb, []]]],
    },
  ],
};

/** Reverts, return data and access lists. */
export const REVERTS: readonly Theme[] = [revert, returnData, accessLists];
