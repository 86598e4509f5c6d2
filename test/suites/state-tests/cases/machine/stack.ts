import type { StateCase, Theme } from "../case.ts";
import { call, codeBytes, create, repeat, store, words } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

/** Codes that lack one operand. */
const UNDERFLOWS: readonly string[] = (
  [
    ["ADD", 2],
    ["ADDMOD", 3],
    ["NOT", 1],
    ["SHA3", 2],
    ["CALLDATACOPY", 3],
    ["EXTCODECOPY", 4],
    ["MSTORE", 2],
    ["SSTORE", 2],
    ["JUMP", 1],
    ["JUMPI", 2],
    ["LOG0", 2],
    ["LOG4", 6],
    ["CREATE", 3],
    ["CALL", 7],
    ["RETURN", 2],
    ["SELFDESTRUCT", 1],
    ["DUP1", 1],
    ["DUP16", 16],
    ["SWAP1", 2],
    ["SWAP16", 17],
  ] as const
).map(([op, count]) => `${repeat(count - 1, "0")} ${op}`);

const stack: Theme = {
  directory: "stStackTests",
  cases: [
    {
      name: "limit",
      about: "1,024 words fit; one more fails",
      forks: ["Frontier", "Berlin", "Osaka"],
      code: "0 CALLDATALOAD loop: 1 DUP2 SUB DUP1 @loop JUMPI 1 0 SSTORE",
      data: [1021, 1022, 1023, 1024, 1025].map((count) => words(count)),
    },
    ...(
      [
        ["push1", "1"],
        ["push0", "PUSH0"],
        ["dup1", "DUP1"],
        ["dup16", "DUP16"],
        ["address", "ADDRESS"],
        ["gas", "GAS"],
        ["msize", "MSIZE"],
        ["returnDataSize", "RETURNDATASIZE"],
        ["swap16", "SWAP16"],
      ] as const
    ).map(
      ([name, piece]): StateCase => ({
        name: `full_${name}`,
        about: `${name} on a stack that has one free place, then none`,
        forks: ["Frontier", "Byzantium", "Shanghai", "Osaka"],
        code: `${store(0, call("CALL", OTHER))} ${store(1, call("CALL", THIRD))}`,
        accounts: {
          [OTHER]: { code: `${repeat(1023, "1")} ${piece}` },
          [THIRD]: { code: `${repeat(1024, "1")} ${piece}` },
        },
      }),
    ),
    {
      name: "underflow",
      about: "instructions with one operand less than they take fail and use up their gas",
      forks: ["Frontier", "Byzantium", "Istanbul", "Osaka"],
      code: repeat(UNDERFLOWS.length, (i) => store(i, call("CALL", 0xe00 + i, { gas: 5000 }))),
      accounts: Object.fromEntries(UNDERFLOWS.map((piece, i) => [0xe00 + i, { code: piece }])),
      gas: [1_000_000],
    },
    {
      name: "dupAndSwapDepths",
      about: "DUP1 to DUP16 and SWAP1 to SWAP16 reach exactly as deep as they say",
      forks: ["Frontier", "Osaka"],
      code: `${repeat(17, (i) => `${i + 1}`)} ${repeat(16, (i) => `SWAP${i + 1}`)} ${repeat(16, (i) => `DUP${i + 1} ${i} SSTORE`)}`,
      gas: [600_000],
    },
  ],
};

/** All instructions in groups of 16, each after seven operands, as init code. */
const opcodes: Theme = {
  directory: "stBadOpcode",
  cases: Array.from(
    { length: 16 },
    (_, group): StateCase => ({
      name: `opcodes_${group.toString(16)}0`,
      about:
        "every instruction of sixteen after seven small operands: which exist under a fork, and what they cost",
      forks:
        group === 0 || group === 6 ? ["Frontier", "Osaka"] : ["Frontier", "Byzantium", "Istanbul", "Osaka"],
      to: null,
      data: Array.from({ length: 16 }, (_, i) =>
        Uint8Array.from([...codeBytes(repeat(7, "1")), group * 16 + i]),
      ),
      gas: [100_000],
    }),
  ),
};

const logTests: Theme = {
  directory: "stLogTests",
  cases: [
    ...[0, 1, 2, 3, 4].map(
      (topics): StateCase => ({
        name: `log${topics}_regions`,
        about: "data at the edges of memory, topics with all bits set",
        forks: ["Frontier", "Berlin", "Osaka"],
        code: `${2n ** 256n - 1n} 0 MSTORE 0xab 40 MSTORE8 ${repeat(topics, `${2n ** 256n - 1n}`)} 0 CALLDATALOAD 32
          CALLDATALOAD LOG${topics} MSIZE 0 SSTORE`,
        data: [words(1, 0), words(40, 0), words(2, 40), words(33, 31)],
        gas: [100_000],
      }),
    ),
    {
      name: "orderAcrossFrames",
      about: "logs stand in the order in which they were made, those of failed frames are gone",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `1 0 0 LOG1 ${call("CALL", OTHER)} POP 2 0 0 LOG1 ${call("CALLCODE", OTHER)} POP ${call("CALL", THIRD)} POP 3 0 0 LOG1`,
      accounts: { [OTHER]: { code: "10 0 0 LOG1" }, [THIRD]: { code: "11 0 0 LOG1 INVALID" } },
    },
    {
      name: "inInitCode",
      about: "the new contract is the address of its logs",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `${create(`7 0 0 LOG1 ${call("DELEGATECALL", OTHER)} POP`)} POP`,
      accounts: { [OTHER]: { code: "8 0 0 LOG1" } },
    },
    {
      name: "ofDestroyed",
      about: "a contract that destroys itself keeps its logs",
      forks: ["Frontier", "Cancun", "Osaka"],
      code: "5 0 0 LOG1 CALLER SELFDESTRUCT",
      value: [3n],
    },
  ],
};

/** The stack, every instruction, logs. */
export const STACK: readonly Theme[] = [stack, opcodes, logTests];
