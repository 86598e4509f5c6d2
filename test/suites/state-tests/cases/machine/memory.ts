import type { Theme } from "../case.ts";
import { call, repeat, returnMemory, store, words } from "../program.ts";
import { measure } from "./prices.ts";

const OTHER = 0xb0b;

const memory: Theme = {
  directory: "stMemoryTest",
  cases: [
    {
      name: "loadAndStore",
      about: "words at any offset; memory grows by what is touched",
      forks: ["Frontier", "Berlin", "Osaka"],
      code: "0x1122334455667788 0 CALLDATALOAD MSTORE 0 CALLDATALOAD 5 ADD MLOAD 0 SSTORE MSIZE 1 SSTORE",
      data: [0, 1, 31, 32, 33, 1000].map((offset) => words(offset)),
      edges: true,
    },
    {
      name: "expansionGas",
      about: "3 a word and a square beyond 724 bytes",
      forks: ["Frontier", "Osaka"],
      code: measure(0, "0 CALLDATALOAD MLOAD"),
      data: [0, 32, 692, 693, 704, 724, 10_000, 200_000].map((offset) => words(offset)),
    },
    {
      name: "offsetsBeyondReach",
      about: "offsets and sizes near 2^32, 2^64 and 2^256 take all gas and never wrap",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `64 0 0 CALLDATACOPY ${store(0, call("CALL", OTHER, { gas: 30_000, input: [0, 64] }))}`,
      accounts: { [OTHER]: { code: "0 CALLDATALOAD 32 CALLDATALOAD SHA3 0 SSTORE" } },
      data: [2n ** 32n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 256n - 32n].flatMap((edge) => [
        words(32, edge),
        words(edge, 0),
      ]),
      gas: [100_000],
    },
    {
      name: "byteStores",
      about: "MSTORE8 grows memory by a word at a time",
      forks: ["Frontier", "Osaka"],
      code: `0xff 0 CALLDATALOAD MSTORE8 MSIZE 0 SSTORE 0 CALLDATALOAD 31 AND 0 CALLDATALOAD SUB MLOAD 1 SSTORE`,
      data: [0, 31, 32, 63, 64, 1023].map((offset) => words(offset)),
    },
    {
      name: "copiesOfNothing",
      about: "copies of no bytes cost no memory, whatever their offsets",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `${2n ** 256n - 1n} 0 0 0 DUP4 CALLDATACOPY 0 0 DUP4 CODECOPY 0 0 DUP4 ${OTHER} EXTCODECOPY 0 DUP3 SHA3 0 SSTORE
        0 DUP3 LOG0 MSIZE 1 SSTORE`,
      gas: [100_000],
    },
    {
      name: "callRegions",
      about: "input and output of a call may overlap; both grow memory even where the call fails",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `0x0102030405 0 MSTORE ${store(0, call("CALL", 4, { input: [20, 20], output: [10, 50] }))} 0 MLOAD 1 SSTORE 32
        MLOAD 2 SSTORE MSIZE 3 SSTORE ${store(4, call("CALL", 4, { value: 9, output: [500, 10] }))} MSIZE 5 SSTORE`,
    },
    {
      name: "codeIntoMemory",
      about: "own code copied over memory, with zeros beyond its end",
      forks: ["Frontier", "Osaka"],
      code: `${2n ** 256n - 1n} DUP1 0 MSTORE DUP1 32 MSTORE 64 MSTORE 20 CODESIZE 7 SWAP1 SUB 25 CODECOPY
        ${repeat(3, (i) => store(i, `${i * 32} MLOAD`))}`,
    },
    {
      name: "freshInEachFrame",
      about: "a call begins with no memory and leaves none",
      forks: ["Frontier", "Osaka"],
      code: `1 0 MSTORE ${call("CALL", OTHER)} POP 0 MLOAD 0 SSTORE MSIZE 1 SSTORE ${call("CALL", OTHER)} POP`,
      accounts: {
        [OTHER]: {
          code: "MSIZE 0 SLOAD SSTORE 0 SLOAD 1 ADD 0 SSTORE 100 MLOAD 5 SSTORE 7 100 MSTORE",
          storage: { 0: 1n },
        },
      },
    },
  ],
};

const STRESS = [2n ** 16n, 2n ** 20n, 2n ** 22n, 2n ** 24n - 33n, 2n ** 32n];

const memoryStress: Theme = {
  directory: "stMemoryStressTest",
  cases: (
    [
      ["mload", "0 CALLDATALOAD MLOAD POP"],
      ["mstore8", "1 0 CALLDATALOAD MSTORE8"],
      ["sha3", "0 CALLDATALOAD 0 SHA3 POP"],
      ["callDataCopy", "0 CALLDATALOAD 0 0 CALLDATACOPY"],
      ["log", "0 0 CALLDATALOAD LOG0"],
      ["return", "0 CALLDATALOAD 0 RETURN"],
      ["create", "0 CALLDATALOAD 0 0 CREATE POP"],
    ] as const
  ).map(([name, piece]) => ({
    name,
    about: `${name} over large regions: affordable, just not, and far out of reach`,
    forks: ["Frontier", "Istanbul", "Osaka"] as const,
    code: `1 0 SSTORE ${piece} MSIZE 1 SSTORE`,
    data: (name === "create" ? STRESS.slice(0, 2) : STRESS).map((size) => words(size)),
    gas: [12_000_000],
  })),
};

const quadratic: Theme = {
  directory: "stQuadraticComplexityTest",
  cases: [
    {
      name: "memoryDoubles",
      about: "memory that doubles until the square of its size takes all gas",
      forks: ["Frontier", "Osaka"],
      code: "32 on: 1 DUP2 MSTORE 2 MUL DUP1 0 SSTORE @on JUMP",
      gas: [200_000, 1_000_000],
    },
    {
      name: "callsWithLargeInput",
      about: "a hundred calls with the same 10,000 bytes of input",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `100 loop: ${call("CALL", OTHER, { gas: 1000, input: [0, 10_000] })} POP 1 SWAP1 SUB DUP1 @loop JUMPI MSIZE 0 SSTORE`,
      accounts: { [OTHER]: { code: "CALLDATASIZE POP" } },
      gas: [1_000_000],
    },
    {
      name: "identityChain",
      about: "output that grows through the identity precompile",
      forks: ["Frontier", "Osaka"],
      code: `64 7 0 MSTORE loop: ${call("CALL", 4, { input: [0, "DUP3"], output: ["DUP2", "DUP1"] })} POP 2 MUL DUP1 20000
        GT @loop JUMPI 0 SSTORE MSIZE 1 SSTORE`,
      gas: [500_000],
    },
    {
      name: "returnLarge",
      about: "a callee that returns 20,000 bytes ten times",
      forks: ["Byzantium", "Osaka"],
      code: `10 loop: ${call("CALL", OTHER)} POP RETURNDATASIZE 0 0 RETURNDATACOPY 1 SWAP1 SUB DUP1 @loop JUMPI MSIZE 0 SSTORE`,
      accounts: { [OTHER]: { code: returnMemory(20_000) } },
      gas: [1_000_000],
    },
  ],
};

const timeConsuming: Theme = {
  directory: "stTimeConsuming",
  cases: [
    {
      name: "hashLoop",
      about: "a thousand hashes, each of the one before",
      forks: ["Frontier", "Osaka"],
      code: "1000 loop: 32 0 SHA3 0 MSTORE 1 SWAP1 SUB DUP1 @loop JUMPI 0 MLOAD 0 SSTORE",
    },
    {
      name: "mulmodLoop",
      about: "two thousand products modulo a large prime",
      forks: ["Frontier", "Osaka"],
      code: `3 2000 loop: SWAP1 ${2n ** 256n - 189n} DUP2 DUP3 MULMOD 7 ADD SWAP1 POP SWAP1 1 SWAP1 SUB DUP1 @loop JUMPI POP 0 SSTORE`,
    },
    {
      name: "expLoop",
      about: "powers with exponents of every length",
      forks: ["Frontier", "EIP158", "Osaka"],
      code: "1 64 loop: DUP1 0x0101010101 MUL DUP1 MUL 3 EXP SWAP2 ADD SWAP1 1 SWAP1 SUB DUP1 @loop JUMPI POP 0 SSTORE",
    },
    {
      name: "sstoreCombinations",
      about: "a slot through all sequences of three values out of three",
      forks: ["Frontier", "Constantinople", "Istanbul", "Berlin", "London"],
      code: repeat(27, (i) => repeat(3, (j) => `${Math.floor(i / 3 ** j) % 3} ${i} SSTORE`)),
      target: { storage: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [i * 2 + 1, 1n])) },
      gas: [2_000_000],
    },
    {
      name: "jumpTable",
      about: "a thousand jumps to and fro",
      forks: ["Frontier", "Osaka"],
      code: "1000 loop: @away JUMP back: 1 SWAP1 SUB DUP1 @loop JUMPI GAS 0 SSTORE STOP away: @back JUMP",
    },
  ],
};

/** Memory, and programs that run long. */
export const MEMORY: readonly Theme[] = [memory, memoryStress, quadratic, timeConsuming];
