import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { forks, type StateCase, since, TARGET, type Theme } from "../case.ts";
import { call, create, deploy, repeat, store, words } from "../program.ts";

const OTHER = 0xb0b;

const EMPTY = 0x404;

const ALL = forks("Frontier");

/** Source that stores the gas cost of a piece of code, its own three instructions included; the piece leaves `results` words. */
export function measure(slot: number, piece: string, results = 1): string {
  return `GAS ${piece} ${repeat(results, "POP")} GAS SWAP1 SUB ${slot} SSTORE`;
}

/** A piece of code measured twice, so that the first run can be cold and the second warm, under every fork. */
function price(name: string, piece: string, results = 1): StateCase {
  return {
    name,
    about: `what ${name} costs under every fork, the first time and again`,
    forks: ALL,
    code: `${measure(0, piece, results)} ${measure(1, piece, results)}`,
    target: { balance: 100n, storage: { 7: 1n } },
    accounts: { [OTHER]: { nonce: 1n, balance: 1n, code: "STOP" } },
  };
}

const singlePrices: Theme = {
  directory: "stEIP150singleCodeGasPrices",
  cases: [
    price("balance", `${OTHER} BALANCE`),
    price("extCodeSize", `${OTHER} EXTCODESIZE`),
    price("extCodeCopy", `32 0 0 ${OTHER} EXTCODECOPY`, 0),
    price("sload", "7 SLOAD"),
    price("sstore", "7 7 SSTORE", 0),
    price("call", call("CALL", OTHER, { gas: 1000 })),
    price("callWithValue", call("CALL", OTHER, { gas: 1000, value: 1 })),
    price("callToEmpty", call("CALL", EMPTY, { gas: 0 })),
    price("callWithValueToEmpty", call("CALL", EMPTY, { gas: 0, value: 1 })),
    price("callCode", call("CALLCODE", OTHER, { gas: 1000 })),
    price("callCodeWithValue", call("CALLCODE", OTHER, { gas: 1000, value: 1 })),
    price("delegateCall", call("DELEGATECALL", OTHER, { gas: 1000 })),
    price("staticCall", call("STATICCALL", OTHER, { gas: 1000 })),
    price("create", "0 0 0 CREATE"),
    price("exp", "300 3 EXP"),
    price("sha3", "65 0 SHA3"),
    price("log2", "1 2 40 0 LOG2", 0),
    price("blockHash", "200 BLOCKHASH"),
    {
      name: "selfdestruct",
      about: "SELFDESTRUCT to an account that is there, to an absent one with and without balance, to itself",
      forks: ALL,
      code: repeat(4, (i) => measure(i, call("CALL", 0xd0 + i, { gas: 80_000 }))),
      accounts: {
        208: { nonce: 1n, balance: 1n, code: `${TARGET} SELFDESTRUCT` },
        209: { nonce: 1n, balance: 1n, code: `${EMPTY} SELFDESTRUCT` },
        210: { nonce: 1n, code: `${EMPTY + 1} SELFDESTRUCT` },
        211: { nonce: 1n, balance: 1n, code: "ADDRESS SELFDESTRUCT" },
      },
      gas: [600_000],
    },
  ],
};

const eip150: Theme = {
  directory: "stEIP150Specific",
  cases: [
    {
      name: "allButA64th",
      about: "a call that asks for more than there is fails before EIP-150 and gets all but a 64th after it",
      forks: ["Frontier", "Homestead", "EIP150", "Byzantium", "Berlin", "Osaka"],
      code: `${store(0, call("CALL", OTHER, { gas: "0 CALLDATALOAD" }))} GAS 1 SSTORE`,
      accounts: { [OTHER]: { code: "GAS 0 SSTORE on: @on JUMP" } },
      data: [words(30_000), words(200_000), words(2n ** 64n), words(2n ** 256n - 1n)],
      gas: [150_000],
    },
    {
      name: "chainOf64ths",
      about: "every level keeps its 64th, rounded down",
      forks: ["EIP150", "Istanbul", "Osaka"],
      code: `GAS 0 SLOAD SSTORE 0 SLOAD 1 ADD 0 SSTORE ${call("CALL", "ADDRESS", { gas: "GAS" })} POP`,
      target: { storage: { 0: 1n } },
      gas: [300_000],
    },
    {
      name: "creation",
      about: "a creation keeps a 64th as well",
      forks: ["Homestead", "EIP150", "Berlin", "Osaka"],
      code: `${create("GAS 0 SSTORE on: @on JUMP")} 0 SSTORE GAS 1 SSTORE`,
      gas: [200_000, 3_000_000],
    },
    {
      name: "newAccountInGas",
      about: "the 25,000 for a new account are taken before the 64th",
      forks: ["EIP150", "EIP158", "Berlin", "Osaka"],
      code: `${store(0, call("CALL", EMPTY, { gas: "GAS", value: 1 }))} GAS 1 SSTORE`,
      target: { balance: 5n },
      gas: [80_000, 101_000],
      edges: true,
    },
    {
      name: "selfdestructBomb",
      about: "destroying into a new account costs 25,000 since EIP-150",
      forks: ["Homestead", "EIP150", "EIP158", "Berlin", "Osaka"],
      code: `${store(0, call("CALL", OTHER, { gas: 29_999 }))} ${store(1, call("CALL", OTHER, { gas: 32_700 }))}`,
      accounts: { [OTHER]: { nonce: 1n, balance: 3n, code: `${EMPTY} SELFDESTRUCT` } },
    },
  ],
};

const memoryCalls: Theme = {
  directory: "stMemExpandingEIP150Calls",
  cases: (["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"] as const).map((kind) => ({
    name: kind.toLowerCase(),
    about:
      "a call pays for the memory of its input and output, whichever reaches further, before it shares the rest",
    forks: since(kind === "STATICCALL" ? "Byzantium" : "Homestead"),
    code: `GAS ${call(kind, OTHER, { gas: "GAS", input: ["0 CALLDATALOAD", 32], output: ["32 CALLDATALOAD", 64] })} POP
      GAS SWAP1 SUB 0 SSTORE MSIZE 1 SSTORE`,
    accounts: { [OTHER]: { code: "1 0 MSTORE 32 0 RETURN" } },
    data: [words(0, 0), words(10_000, 0), words(0, 10_000), words(5000, 4999)],
    gas: [200_000],
  })),
};

const EIP158_FORKS: readonly EthereumFork[] = ["Homestead", "EIP150", "EIP158", "Byzantium", "Osaka"];

const eip158: Theme = {
  directory: "stEIP158Specific",
  cases: [
    {
      name: "expByte",
      about: "a byte of an exponent: 10, then 50",
      forks: EIP158_FORKS,
      code: `${measure(0, "0xffff 2 EXP")} ${measure(1, "0 2 EXP")}`,
    },
    {
      name: "emptyAccountsGo",
      about:
        "empty accounts that are touched are deleted: as recipients, beneficiaries and coinbases; others stay",
      forks: EIP158_FORKS,
      code: `${call("CALL", EMPTY)} POP ${call("CALL", OTHER)} POP ${EMPTY + 2} BALANCE POP`,
      accounts: {
        [EMPTY]: {},
        [EMPTY + 1]: {},
        [EMPTY + 2]: {},
        [OTHER]: { nonce: 1n, code: `${EMPTY + 1} SELFDESTRUCT` },
      },
      value: [0n, 1n],
    },
    {
      name: "freeTransactionTouchesCoinbase",
      about: "a coinbase that earns nothing is not left behind",
      forks: ["Homestead", "EIP158", "Berlin"],
      to: OTHER,
      fees: { gasPrice: 0n },
      value: [0n, 1n],
    },
    {
      name: "emptyContractStays",
      about: "a contract without code has a nonce and stays",
      forks: EIP158_FORKS,
      to: null,
      data: ["", deploy("STOP")],
      gas: [100_000],
    },
    {
      name: "newAccountPrice",
      about: "25,000 only with value, and only where the account is absent or empty",
      forks: EIP158_FORKS,
      code: repeat(6, (i) =>
        measure(i, call("CALL", [EMPTY, OTHER, EMPTY + 1][i % 3] ?? 0, { gas: 0, value: i > 2 ? 1 : 0 })),
      ),
      target: { balance: 10n },
      accounts: { [EMPTY]: {}, [OTHER]: { balance: 1n } },
    },
    {
      name: "emptyUnderRevert",
      about: "an empty account that only a failed frame has touched stays",
      forks: EIP158_FORKS,
      code: `${store(0, call("CALL", OTHER))}`,
      accounts: { [EMPTY]: {}, [OTHER]: { nonce: 1n, code: `${call("CALL", EMPTY)} INVALID` } },
    },
  ],
};

/** Prices of instructions and of accounts. */
export const PRICES: readonly Theme[] = [singlePrices, eip150, memoryCalls, eip158];
