import { forks, type Theme } from "../case.ts";
import { SENDER } from "../keys.ts";
import { call, create, deploy, hex, repeat, store, words } from "../program.ts";

const [FIRST, SECOND] = [0xa1, 0xa2];

const zeroAndOne: Theme = {
  directory: "stArgsZeroOneBalance",
  cases: (
    [
      ["balance", "BALANCE", 1],
      ["callDataLoad", "CALLDATALOAD", 1],
      ["exp", "EXP", 2],
      ["extCodeSize", "EXTCODESIZE", 1],
      ["jump", "JUMP", 1],
      ["mload", "MLOAD", 1],
      ["sload", "SLOAD", 1],
      ["smod", "SMOD", 2],
    ] as const
  ).map(([name, op, count]) => ({
    name,
    about: `${op} whose arguments are the account's own balance, zero or one`,
    forks: ["Frontier", "Istanbul", "Osaka"] as const,
    code: `${repeat(count, "ADDRESS BALANCE")} ${op} 1 ADD 0 SSTORE`,
    target: { balance: 0n },
    value: [0n, 1n],
  })),
};

const attacks: Theme = {
  directory: "stAttackTest",
  cases: [
    {
      name: "manyColdReads",
      about: "reads of many absent accounts: what an attack of 2016 paid too little for",
      forks: ["Frontier", "EIP150", "Istanbul", "Berlin", "Osaka"],
      code: `0x1000 loop: 1 ADD DUP1 EXTCODESIZE POP DUP1 0x1100 GT @loop JUMPI 0 SSTORE`,
      gas: [1_000_000],
    },
    {
      name: "manyEmptyAccounts",
      about: "SELFDESTRUCT to ever new accounts: none is left behind from EIP-158 on",
      forks: ["Frontier", "EIP150", "EIP158", "Osaka"],
      code: `40 loop: 1 SWAP1 SUB DUP1 0 MSTORE ${call("CALL", FIRST, { input: [0, 32], gas: 40_000 })} POP DUP1 @loop JUMPI`,
      accounts: { [FIRST]: { nonce: 1n, code: "0 CALLDATALOAD 0x5000 ADD SELFDESTRUCT" } },
      gas: [2_500_000],
    },
    {
      name: "reentrance",
      about: "a bank that pays before it books is emptied by its customer",
      forks: ["Frontier", "Istanbul", "Osaka"],
      code: `${call("CALL", FIRST, { gas: 300_000 })} 9 SSTORE`,
      target: { balance: 0n },
      accounts: {
        [FIRST]: { nonce: 1n, balance: 0n, code: `${call("CALL", SECOND, { gas: "30000 GAS SUB" })} POP` },
        [SECOND]: {
          nonce: 1n,
          balance: 100n,
          storage: { 0: 30n },
          code: `0 SLOAD ISZERO @end JUMPI ${call("CALL", "CALLER", { gas: "40000 GAS SUB", value: "0 SLOAD" })} POP 0 0 SSTORE end: STOP`,
        },
      },
    },
  ],
};

const selfBalance: Theme = {
  directory: "stSelfBalance",
  cases: [
    {
      name: "beforeAndAfterIstanbul",
      about: "0x47 came with Istanbul and costs 5",
      forks: ["ConstantinopleFix", "Istanbul", "Berlin", "Osaka"],
      code: "GAS SELFBALANCE 0 SSTORE GAS SWAP1 SUB 1 SSTORE",
      target: { balance: 100n },
      value: [0n, 7n],
      edges: true,
    },
    {
      name: "followsTransfers",
      about: "the balance changes with calls and creations and equals BALANCE of ADDRESS",
      forks: ["Istanbul", "Berlin", "Osaka"],
      code: `${call("CALL", FIRST, { value: 10 })} POP SELFBALANCE 0 SSTORE ${create("STOP", 5)} POP SELFBALANCE 1 SSTORE
        ${call("CALLCODE", FIRST, { value: 3 })} POP SELFBALANCE 2 SSTORE SELFBALANCE ADDRESS BALANCE EQ 3 SSTORE`,
      target: { balance: 100n },
    },
    {
      name: "ofTheContext",
      about: "a library sees the balance of the account it works for",
      forks: ["Istanbul", "Osaka"],
      code: `${call("DELEGATECALL", FIRST)} POP ${call("CALLCODE", FIRST)} POP ${call("CALL", FIRST)} POP`,
      target: { balance: 100n },
      accounts: { [FIRST]: { balance: 55n, code: "0 SLOAD 1 ADD DUP1 0 SSTORE SELFBALANCE SWAP1 SSTORE" } },
    },
    {
      name: "inInitCode",
      about: "a new contract sees its endowment and what lay there before",
      forks: ["Istanbul", "Berlin", "Osaka"],
      to: null,
      data: ["SELFBALANCE 0 SSTORE ADDRESS BALANCE 1 SSTORE"],
      value: [0n, 12n],
    },
  ],
};

const chainId: Theme = {
  directory: "stChainId",
  cases: [
    {
      name: "beforeAndAfterIstanbul",
      about: "0x46 came with Istanbul",
      forks: ["ConstantinopleFix", "Istanbul", "London", "Osaka"],
      code: "GAS CHAINID 0 SSTORE GAS SWAP1 SUB 1 SSTORE",
      edges: true,
    },
    {
      name: "everywhere",
      about: "the same in calls, libraries and init code",
      forks: ["Istanbul", "Osaka"],
      code: `${store(0, call("CALL", FIRST))} ${store(1, call("DELEGATECALL", FIRST))} ${create(store(7, "CHAINID"))} 3 SSTORE`,
      accounts: { [FIRST]: { code: store(2, "CHAINID") } },
    },
  ],
};

const transitions: Theme = {
  directory: "stTransitionTest",
  cases: [
    {
      name: "unknownOpcodesByFork",
      about: "a contract tries one instruction of every fork and counts those it knows",
      forks: forks("Frontier"),
      code: repeat(9, (i) => `${store(i, call("CALL", 0xb0 + i, { gas: 30_000 }))}`),
      accounts: Object.fromEntries(
        ["60006000f4", "3d", "6000601c1b", "46", "48", "5f", "6001600255600160025c", "5e", "60011e"].map(
          (code, i) => [0xb0 + i, { nonce: 1n, code: hex(code) }],
        ),
      ),
      gas: [1_000_000],
    },
    {
      name: "emptyAccountTouchedBySender",
      about: "a transfer of nothing to an empty account: made before EIP-158, deleted from it on",
      forks: forks("Frontier", "Byzantium"),
      to: FIRST,
      accounts: { [SECOND]: { balance: 1n } },
      value: [0n, 1n],
      gas: [21_000],
    },
    {
      name: "creationNonceByFork",
      about:
        "new contracts start with nonce 0 before EIP-158 and 1 from it on; their own creations follow from it",
      forks: forks("Frontier", "Istanbul"),
      code: `${create(`${create("STOP")} 0 SSTORE`)} 0 SSTORE`,
    },
    {
      name: "creationGasByFork",
      about:
        "a creation with too little gas for its code leaves an empty contract on Frontier and fails later",
      forks: forks("Frontier", "EIP158"),
      to: null,
      data: [deploy(hex("00".repeat(100)))],
      gas: [70_000, 80_000, 100_000],
    },
  ],
};

const example: Theme = {
  directory: "stExample",
  cases: [
    {
      name: "add",
      about: "one plus one, the smallest test there is",
      forks: forks("Frontier"),
      code: store(0, "1 1 ADD"),
    },
    {
      name: "allIndexes",
      about: "data, gas and value each have their own index",
      forks: ["Frontier", "London", "Osaka"],
      code: "0 CALLDATALOAD CALLVALUE ADD 0 SSTORE",
      data: [words(1), words(2)],
      gas: [43_000, 80_000],
      value: [0n, 1n],
    },
    {
      name: "transfer",
      about: "value moves, the fee goes to the coinbase",
      forks: forks("Frontier"),
      to: FIRST,
      accounts: { [FIRST]: { balance: 5n } },
      gas: [21_000, 30_000],
      value: [1n],
    },
    {
      name: "transferToSelf",
      about: "a sender that pays itself loses the fee only",
      forks: ["Frontier", "EIP158", "London", "Osaka"],
      to: SENDER,
      value: [0n, 1n, 10n ** 17n],
    },
    {
      name: "log",
      about: "one log with two topics",
      forks: ["Frontier", "Osaka"],
      code: "0xaa 0 MSTORE 2 1 32 0 LOG2",
    },
  ],
};

/** Context of a frame, its account and fork, and historic attacks. */
export const CONTEXT: readonly Theme[] = [zeroAndOne, attacks, selfBalance, chainId, transitions, example];
