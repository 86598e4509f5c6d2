import { forks, type Theme } from "../case.ts";
import { SENDER } from "../keys.ts";
import { call, create, deploy, deployBytes, hex, store, words } from "../program.ts";

const OTHER = 0xb0b;

const homestead: Theme = {
  directory: "stHomesteadSpecific",
  cases: [
    {
      name: "creationCosts53000",
      about: "a creating transaction costs 21,000 on Frontier and 53,000 from Homestead on",
      forks: forks("Frontier", "EIP150"),
      to: null,
      data: [deploy("STOP")],
      gas: [25_000, 60_000, 53_000],
      edges: true,
    },
    {
      name: "unpaidCode",
      about: "code that cannot be paid: an empty contract on Frontier, a failure from Homestead on",
      forks: forks("Frontier", "EIP158"),
      code: `${store(0, call("CALL", OTHER, { gas: 70_000 }))}`,
      accounts: { [OTHER]: { nonce: 1n, code: `${create(deployBytes(250))} 0 SSTORE` } },
    },
    {
      name: "senderSpendsAll",
      about: "a sender may spend all it has, to the last wei",
      forks: ["Frontier", "Homestead", "London", "Osaka"],
      to: OTHER,
      sender: { balance: 210_005n },
      gas: [21_000],
      value: [5n, 6n],
    },
  ],
};

const bugs: Theme = {
  directory: "stBugs",
  cases: [
    {
      name: "precompileTouchedOutOfGas",
      about: "a call to RIPEMD-160 that runs out of gas: the account with nothing in it is left, or deleted",
      forks: ["Frontier", "EIP150", "EIP158", "Byzantium", "Osaka"],
      code: `${store(0, call("CALL", 3, { gas: 1, input: [0, 32] }))} ${store(1, call("CALL", OTHER, { gas: 5000 }))}`,
      accounts: { 3: {}, [OTHER]: { nonce: 1n, code: `${call("CALL", 3, { gas: 2000 })} INVALID` } },
    },
    {
      name: "returnDataOverflow",
      about: "offset plus size of RETURNDATACOPY beyond 2^64 and 2^256 must not wrap",
      forks: ["Byzantium", "Berlin", "Osaka"],
      code: `${call("CALL", 4, { input: [0, 64] })} POP 0 CALLDATALOAD 32 CALLDATALOAD 0 RETURNDATACOPY 1 0 SSTORE`,
      data: [
        words(0, 64),
        words(1, 64),
        words(64, 0),
        words(1, 2n ** 64n - 1n),
        words(2, 2n ** 256n - 1n),
        words(2n ** 256n - 1n, 2),
      ],
      gas: [100_000],
    },
    {
      name: "staleReturnData",
      about: "a creation that succeeds and a call to nobody clear the return data",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: `${call("CALL", 4, { input: [0, 64] })} POP RETURNDATASIZE 0 SSTORE ${create(deploy("STOP"))} POP RETURNDATASIZE 1 SSTORE
        ${call("CALL", 4, { input: [0, 64] })} POP ${call("CALL", 0x404)} POP RETURNDATASIZE 2 SSTORE
        ${call("CALL", 4, { input: [0, 64] })} POP ${call("CALL", 4, { input: [0, 64], value: 99 })} POP RETURNDATASIZE 3 SSTORE`,
    },
    {
      name: "identityOverlaps",
      about: "the identity precompile's output is a copy, not a view of the memory it came from",
      forks: ["Frontier", "Byzantium", "Osaka"],
      code: `0x1122334455 0 MSTORE ${call("CALL", 4, { input: [0, 32], output: [16, 32] })} POP 0 0 MSTORE 16 MLOAD 0 SSTORE 32 MLOAD 1 SSTORE`,
    },
  ],
};

const spent: Theme = {
  directory: "stEIP3607",
  cases: [
    {
      name: "senderWithCode",
      about: "an account with code sends nothing",
      forks: ["Frontier", "Berlin", "London", "Cancun", "Prague", "Osaka"],
      sender: { code: "STOP", balance: 10n ** 18n },
      to: OTHER,
      value: [0n, 1n],
    },
    {
      name: "senderWithCodeCreates",
      about: "nor does it create",
      forks: ["London", "Osaka"],
      sender: { code: hex("00"), balance: 10n ** 18n },
      to: null,
      data: ["STOP"],
    },
    {
      name: "senderWithStorageOnly",
      about: "storage alone is no code",
      forks: ["London", "Osaka"],
      sender: { storage: { 1: 1n }, balance: 10n ** 18n },
      to: OTHER,
    },
    {
      name: "senderCallsItself",
      about: "calling the own account, which has code, is refused as well",
      forks: ["London", "Osaka"],
      sender: { code: "1 0 SSTORE", balance: 10n ** 18n },
      to: SENDER,
    },
    {
      name: "senderDelegates",
      about: "a delegation is not code in this sense; the call runs the delegate",
      forks: ["Prague", "Osaka"],
      sender: { code: hex(`ef0100${"00".repeat(18)}0b0b`), balance: 10n ** 18n },
      to: SENDER,
      accounts: { [OTHER]: { code: "ADDRESS 0 SSTORE" } },
    },
  ],
};

/** Rules of Homestead, of senders with code, and past bugs of engines. */
export const OLD_RULES: readonly Theme[] = [homestead, bugs, spent];
