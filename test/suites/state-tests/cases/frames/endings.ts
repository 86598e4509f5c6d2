import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { bytesToBigint } from "../../../../../src/protocol/primitives/bytes.ts";
import { TARGET, type Theme } from "../case.ts";
import { SENDER } from "../keys.ts";
import { call, create, deploy, hex, store, words } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

const SELF: readonly EthereumFork[] = ["Frontier", "EIP150", "EIP158", "London", "Cancun", "Osaka"];

const system: Theme = {
  directory: "stSystemOperationsTest",
  cases: [
    {
      name: "selfdestructToItself",
      about: "a contract that names itself burns its balance; from Cancun on it keeps it unless it is new",
      forks: SELF,
      code: "1 0 SSTORE ADDRESS SELFDESTRUCT",
      target: { balance: 9n },
      value: [0n, 1n],
    },
    {
      name: "selfdestructToOthers",
      about: "the balance goes to the sender, the caller, the coinbase, a precompile, a new account",
      forks: SELF,
      code: "0 CALLDATALOAD SELFDESTRUCT",
      target: { balance: 9n, storage: { 1: 1n } },
      data: [words(0x404), words(3), words(bytesToBigint(SENDER)), words(2n ** 255n + 0x404n)],
    },
    {
      name: "selfdestructTwice",
      about: "destroyed twice in one transaction: the second time there is nothing left to give",
      forks: SELF,
      code: `${call("CALL", OTHER)} 0 SSTORE ${OTHER} BALANCE 1 SSTORE ${store(2, call("CALL", OTHER, { value: 2 }))} ${THIRD} BALANCE 3 SSTORE`,
      target: { balance: 20n },
      accounts: { [OTHER]: { nonce: 1n, balance: 5n, code: `${THIRD} SELFDESTRUCT`, storage: { 1: 1n } } },
    },
    {
      name: "selfdestructOfNew",
      about:
        "a contract destroyed in the transaction that made it goes, also from Cancun on, with what it got later",
      forks: SELF,
      code: `${create(deploy(`${THIRD} SELFDESTRUCT`), 4)} DUP1 0 SSTORE ${call("CALL", "DUP6", { value: 1 })} 1 SSTORE
        ${call("CALL", "DUP6", { value: 2 })} 2 SSTORE`,
      target: { balance: 20n },
    },
    {
      name: "selfdestructReverted",
      about: "a frame that fails after a destruction below it undoes the destruction",
      forks: SELF,
      code: `${store(0, call("CALL", OTHER))} ${store(1, `${THIRD} BALANCE`)}`,
      accounts: {
        [OTHER]: { nonce: 1n, code: `${call("CALL", THIRD)} INVALID` },
        [THIRD]: { nonce: 1n, balance: 8n, code: "CALLER SELFDESTRUCT" },
      },
    },
    {
      name: "coinbaseDestroysItself",
      about: "the fee comes after the end of the transaction: a destroyed coinbase is born again with it",
      forks: SELF,
      code: "COINBASE SELFDESTRUCT",
      env: { currentCoinbase: "0x000000000000000000000000000000000000c0de" },
      target: { balance: 9n },
    },
    {
      name: "abacalls",
      about: "two contracts call each other with falling gas and count",
      forks: ["Frontier", "EIP150", "Osaka"],
      code: `0 SLOAD 1 ADD 0 SSTORE ${call("CALL", OTHER, { gas: "30000 GAS SUB", value: 1 })} 1 SSTORE`,
      target: { balance: 20n },
      accounts: {
        [OTHER]: {
          balance: 20n,
          code: `0 SLOAD 1 ADD 0 SSTORE ${call("CALL", TARGET, { gas: "30000 GAS SUB", value: 2 })} 1 SSTORE`,
        },
      },
    },
    {
      name: "callToItself",
      about: "a contract that calls itself with value keeps its balance",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `CALLDATASIZE @in JUMPI 0x01 0 MSTORE ${store(0, call("CALL", "ADDRESS", { value: 5, input: [0, 32] }))} ADDRESS
        BALANCE 1 SSTORE STOP in: CALLVALUE 2 SSTORE CALLER 3 SSTORE ADDRESS BALANCE 4 SSTORE`,
      target: { balance: 7n },
    },
    {
      name: "originAndCaller",
      about: "the origin stays, the caller changes",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `${call("CALL", OTHER)} POP ${call("CALLCODE", OTHER)} POP ORIGIN CALLER EQ 5 SSTORE`,
      accounts: { [OTHER]: { code: "ORIGIN 0 SSTORE CALLER 1 SSTORE GASPRICE 2 SSTORE" } },
    },
  ],
};

const special: Theme = {
  directory: "stSpecialTest",
  cases: [
    {
      name: "deployAndDestroyManyTimes",
      about: "a loop that makes contracts and destroys each of them",
      forks: SELF,
      code: `5 loop: ${create(deploy("CALLER SELFDESTRUCT"), 1)} ${call("CALL", "DUP6")} POP POP 1 SWAP1 SUB DUP1 @loop JUMPI GAS 0 SSTORE`,
      target: { balance: 30n },
      gas: [1_000_000],
    },
    {
      name: "pushWithoutData",
      about: "PUSH1 to PUSH32 as the last byte push zero and end",
      forks: ["Frontier", "Osaka"],
      to: null,
      data: Array.from({ length: 32 }, (_, i) => Uint8Array.of(0x60, 1, 0x60, 0, 0x55, 0x60 + i)),
      gas: [100_000],
    },
    {
      name: "farJumps",
      about: "a destination at the very end of a long code",
      forks: ["Frontier", "Osaka"],
      code: hex(`610800565b${"5b".repeat(2045)}600160005500`),
    },
    {
      name: "failedTransactionValue",
      about: "a transaction that fails gives its value back but not its gas",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: "1 0 SSTORE INVALID",
      gas: [60_000],
      value: [0n, 1000n],
    },
  ],
};

/** Ends of contracts and of code. */
export const ENDINGS: readonly Theme[] = [system, special];
