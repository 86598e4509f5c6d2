import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { forks, since, type Theme } from "../case.ts";
import { hex, repeat, store, words } from "../program.ts";

const FEW: readonly EthereumFork[] = ["Frontier", "Berlin", "Osaka"];

const MAX = 2n ** 256n - 1n;

const MIN = 2n ** 255n;
const LIMB = 2n ** 64n;

/** Where PUSH data hides a JUMPDEST, byte by byte. */
const HIDDEN = hex("600456605b00");

const flow: Theme = {
  directory: "VMTests/vmIOandFlowOperations",
  cases: [
    {
      name: "jumpIntoPushData",
      about: "0x5b inside the data of a PUSH is no destination",
      forks: since("Frontier"),
      code: HIDDEN,
    },
    {
      name: "jumpDestinations",
      about: "a jump takes the first word of the input: a JUMPDEST, other code, the end, beyond, 2^64 more",
      forks: FEW,
      code: `0 CALLDATALOAD JUMP ${store(0, "1")} STOP ${repeat(3, "1 POP")} ok: 7 1 SSTORE`,
      data: [0, 4, 9, 10, 19, 20, 21, 22, 60].map((to) => words(to)).concat(words(LIMB + 19n), words(MAX)),
      gas: [80_000],
    },
    {
      name: "jumpiConditions",
      about: "JUMPI jumps on any word but zero and does not look at the destination when it stays",
      forks: FEW,
      code: "0 CALLDATALOAD 32 CALLDATALOAD JUMPI 5 0 SSTORE STOP yes: 6 0 SSTORE",
      data: [words(0, 999), words(1, 999), words(1, 14), words(MAX, 14), words(MIN, 14), words(1, 13)],
    },
    {
      name: "programCounter",
      about: "PC is that of its own byte, after jumps too",
      forks: FEW,
      code: "PC PC @on JUMP INVALID on: PC ADD ADD 0 SSTORE PC 1 SSTORE",
    },
    {
      name: "gasBetween",
      about: "GAS leaves out its own cost",
      forks: since("Frontier"),
      code: "GAS GAS GAS SUB 0 SSTORE GAS SUB 1 SSTORE",
      gas: [100_000],
      edges: true,
    },
    {
      name: "memorySize",
      about: "MSIZE grows in words: by loads, byte stores, hashes and copies, not by copies of nothing",
      forks: FEW,
      code: `MSIZE 0 SSTORE 0 31 MSTORE8 MSIZE 1 SSTORE 32 MLOAD POP MSIZE 2 SSTORE 1 64 SHA3 POP MSIZE 3 SSTORE
        0 0 9999 CALLDATACOPY MSIZE 4 SSTORE 1 0 160 CODECOPY MSIZE 5 SSTORE 0 9999 SHA3 MSIZE 6 SSTORE POP`,
    },
    {
      name: "byteStore",
      about: "MSTORE8 keeps the lowest byte and leaves its neighbours",
      forks: FEW,
      code: `${MAX} 0 MSTORE 0x1234 7 MSTORE8 0x00 31 MSTORE8 0 MLOAD 0 SSTORE 0xabcd 32 MSTORE8 32 MLOAD 1 SSTORE 5 MLOAD 2 SSTORE`,
    },
    {
      name: "loopUntilNoGas",
      about: "an endless loop takes all gas and leaves the state as it was",
      forks: FEW,
      code: "1 0 SSTORE on: 1 0 SLOAD ADD POP @on JUMP",
      gas: [50_000, 100_000],
    },
    {
      name: "endOfCode",
      about: "code ends like STOP, also inside the data of a PUSH, which is filled with zeros",
      forks: FEW,
      code: hex("60016000557f01"),
      gas: [100_000],
      edges: true,
    },
  ],
};

const logs: Theme = {
  directory: "VMTests/vmLogTest",
  cases: [0, 1, 2, 3, 4].map((topics) => ({
    name: `log${topics}`,
    about: "address, topics in order and data; a byte of data costs 8, a topic 375",
    forks: ["Frontier", "Byzantium", "Osaka"] as const,
    code: `${MAX - 5n} 0 MSTORE ${repeat(topics, (i) => `${topics - i}`)} 0 CALLDATALOAD 32 CALLDATALOAD LOG${topics}`,
    data: [words(0, 0), words(32, 0), words(1, 31), words(0, MAX), words(100, 10), words(MAX, 0)],
    gas: [60_000],
    edges: topics % 2 === 0,
  })),
};

const environment: Theme = {
  directory: "VMTests/vmTests",
  cases: [
    {
      name: "environment",
      about: "who, what and where: address, origin, caller, value, price, block",
      forks: since("Frontier"),
      code: repeat(9, (i) =>
        store(
          i,
          [
            "ADDRESS",
            "ORIGIN",
            "CALLER",
            "CALLVALUE",
            "GASPRICE",
            "COINBASE",
            "TIMESTAMP",
            "NUMBER",
            "GASLIMIT",
          ][i] ?? "",
        ),
      ),
      value: [0n, 3n],
    },
    {
      name: "difficulty",
      about: "0x44 is the difficulty before the merge",
      forks: forks("Frontier", "London").filter((_, i) => i % 4 === 0),
      code: store(0, "DIFFICULTY"),
      env: { currentRandom: "" },
    },
    {
      name: "random",
      about: "0x44 is the beacon chain's random word from the merge on",
      forks: forks("Paris"),
      code: store(0, "DIFFICULTY"),
    },
    {
      name: "blockHashes",
      about: "hashes of the last 256 blocks, zero for all others and for the block itself",
      forks: ["Frontier", "Berlin", "Prague", "Osaka"],
      code: store("0", "0 CALLDATALOAD BLOCKHASH"),
      data: [0, 44, 45, 46, 299, 300, 301, 302].map((n) => words(n)).concat(words(LIMB + 300n), words(MAX)),
    },
    {
      name: "callData",
      about: "input beyond its end reads as zeros, whatever the offset",
      forks: FEW,
      code: `CALLDATASIZE 0 SSTORE 0 CALLDATALOAD 1 SSTORE 1 CALLDATALOAD 2 SSTORE ${MAX} CALLDATALOAD 3 SSTORE
        ${MAX} 0 MSTORE 8 ${LIMB} 3 CALLDATACOPY 0 MLOAD 4 SSTORE 40 30 64 CALLDATACOPY 64 MLOAD 5 SSTORE`,
      data: ["", hex("ff"), hex("aa".repeat(31)), hex("0102".repeat(20))],
    },
    {
      name: "hashes",
      about: "Keccak-256 of nothing, of a byte, around its block of 136 bytes, and its price of 6 a word",
      forks: ["Frontier", "Osaka"],
      code: `${MAX} 0 MSTORE 0x80 130 MSTORE8 0 CALLDATALOAD 32 CALLDATALOAD SHA3 0 SSTORE`,
      data: [
        words(0, 0),
        words(1, 0),
        words(135, 0),
        words(136, 0),
        words(137, 1),
        words(272, 0),
        words(0, MAX),
      ],
      gas: [100_000],
      edges: true,
    },
    {
      name: "ownCode",
      about: "CODESIZE and CODECOPY see the running code, zeros beyond it",
      forks: FEW,
      code: `CODESIZE 0 SSTORE 32 0 0 CODECOPY 0 MLOAD 1 SSTORE 32 CODESIZE 8 SWAP1 SUB 32 CODECOPY 32 MLOAD 2 SSTORE 9
        ${MAX} 64 CODECOPY 64 MLOAD 3 SSTORE`,
    },
    {
      name: "output",
      about: "what a transaction returns leaves no trace but its price",
      forks: FEW,
      code: "1 0 MSTORE 0 CALLDATALOAD 0 RETURN",
      data: [words(0), words(32), words(10_000), words(MAX)],
      gas: [60_000],
    },
  ],
};

/** Jumps, logs and the environment. */
export const FLOW: readonly Theme[] = [flow, logs, environment];
