import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { contractAddress } from "../../../../../src/protocol/account/address.ts";
import { bytesToHex } from "../../../../../src/protocol/primitives/hex.ts";
import { COINBASE, type Theme } from "../case.ts";
import { SENDER } from "../keys.ts";
import { deploy, store, words } from "../program.ts";

const OTHER = 0xb0b;

const FEE_FORKS: readonly EthereumFork[] = ["London", "Paris", "Cancun", "Prague", "Osaka"];

const MAX = 2n ** 256n - 1n;

const market: Theme = {
  directory: "stEIP1559",
  cases: [
    ...(
      [
        [7n, 0n],
        [7n, 7n],
        [10n, 1n],
        [10n, 3n],
        [10n, 4n],
        [1000n, 1000n],
        [6n, 0n],
        [10n, 11n],
        [0n, 0n],
      ] as const
    ).map(([maxFeePerGas, maxPriorityFeePerGas]) => ({
      name: `fee${maxFeePerGas}_tip${maxPriorityFeePerGas}`,
      about:
        "the price is the base fee of 7 and the tip, below the most that is offered; the coinbase gets the tip",
      forks: FEE_FORKS,
      code: store(0, "GASPRICE"),
      fees: { maxFeePerGas, maxPriorityFeePerGas },
    })),
    {
      name: "legacyBelowBaseFee",
      about: "a legacy price is fee and tip at once and must reach the base fee",
      forks: FEE_FORKS,
      to: OTHER,
      fees: { gasPrice: 6n },
      value: [1n],
    },
    {
      name: "legacyAtBaseFee",
      about: "at the base fee the coinbase earns nothing",
      forks: FEE_FORKS,
      code: `${store(0, "COINBASE BALANCE")} ${store(1, "BASEFEE")}`,
      fees: { gasPrice: 7n },
    },
    {
      name: "baseFeeInstruction",
      about: "0x48 came with London",
      forks: ["Berlin", "London", "Osaka"],
      code: "GAS BASEFEE 0 SSTORE GAS SWAP1 SUB 1 SSTORE",
      edges: true,
    },
    {
      name: "balanceForTheMost",
      about: "the sender needs gas at the highest price offered, though it pays less, and the value",
      forks: FEE_FORKS,
      to: OTHER,
      sender: { balance: 21_000n * 100n + 5n },
      fees: { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n },
      gas: [21_000],
      value: [5n, 6n],
    },
    {
      name: "balanceSeenInside",
      about: "inside, the sender has paid for all its gas at the price in force",
      forks: FEE_FORKS,
      code: `${store(0, "ORIGIN BALANCE")}`,
      sender: { balance: 10n ** 9n },
      fees: { maxFeePerGas: 100n, maxPriorityFeePerGas: 2n },
    },
    {
      name: "zeroBaseFee",
      about: "with no base fee even nothing is enough",
      forks: FEE_FORKS,
      to: OTHER,
      env: { currentBaseFee: "0x0" },
      fees: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
      value: [0n, 1n],
    },
    {
      name: "refundAndTip",
      about: "the refund goes back at the price paid; the tip is for the gas that remains",
      forks: FEE_FORKS,
      code: "0 1 SSTORE 0 2 SSTORE",
      target: { storage: { 1: 1n, 2: 1n } },
      fees: { maxFeePerGas: 20n, maxPriorityFeePerGas: 5n },
    },
  ],
};

/** Inputs of zeros, others and both. */
const INPUTS = [
  new Uint8Array(0),
  new Uint8Array(100),
  new Uint8Array(100).fill(255),
  Uint8Array.of(0, 1, 0, 2, 0, 3),
];

const transactions: Theme = {
  directory: "stTransactionTest",
  cases: [
    {
      name: "intrinsicGas",
      about:
        "21,000 and the input: 4 for a zero, 68 and later 16 for others; from Prague on at least the floor",
      forks: ["Frontier", "Istanbul", "Prague"],
      to: OTHER,
      data: INPUTS,
      gas: [100_000],
      edges: true,
    },
    {
      name: "intrinsicGasOfCreation",
      about: "the same for a creation, with 32,000 more and the words of its init code",
      forks: ["Frontier", "Homestead", "Istanbul", "Shanghai", "Prague", "Osaka"],
      to: null,
      data: INPUTS,
      gas: [100_000, 53_000, 52_999],
    },
    {
      name: "nonces",
      about: "a nonce too high or too low is refused",
      forks: ["Frontier", "London", "Osaka"],
      to: OTHER,
      sender: { nonce: 5n },
      nonce: 6n,
    },
    {
      name: "nonceTooLow",
      about: "a nonce that is used is refused",
      forks: ["Frontier", "London", "Osaka"],
      to: OTHER,
      sender: { nonce: 5n },
      nonce: 4n,
    },
    {
      name: "lastNonce",
      about: "2^64 - 1 is no nonce for a transaction; one less is, and creates too",
      forks: ["Frontier", "Berlin", "Osaka"],
      to: null,
      sender: { nonce: 2n ** 64n - 1n },
      data: [deploy("STOP")],
    },
    {
      name: "lastNonceButOne",
      about: "the last nonce with which an account can send",
      forks: ["Berlin", "Osaka"],
      to: null,
      sender: { nonce: 2n ** 64n - 2n },
      data: [deploy("STOP")],
    },
    {
      name: "aboveBlockGas",
      about: "a gas limit above the block's is refused",
      forks: ["Frontier", "London", "Cancun", "Osaka"],
      to: OTHER,
      env: { currentGasLimit: "0x186a0" },
      gas: [100_000, 100_001],
    },
    {
      name: "balance",
      about: "the sender must have gas and value; a wei less is refused",
      forks: ["Frontier", "Berlin", "London", "Osaka"],
      to: OTHER,
      sender: { balance: 210_000n + 10n },
      gas: [21_000, 21_001, 21_002],
      value: [0n, 9n, 10n, 11n],
    },
    {
      name: "valueOf256Bits",
      about: "a value that no balance reaches is refused",
      forks: ["Frontier", "London", "Osaka"],
      to: OTHER,
      value: [MAX, 2n ** 255n],
    },
    {
      name: "toCoinbase",
      about: "value to the coinbase, which gets the fee too",
      forks: ["Frontier", "EIP158", "London", "Osaka"],
      to: COINBASE,
      value: [0n, 1n],
    },
    {
      name: "senderIsCoinbase",
      about: "a coinbase that sends gets its fee back, but not the base fee",
      forks: ["Frontier", "EIP158", "London", "Osaka"],
      code: store(0, "COINBASE BALANCE"),
      env: { currentCoinbase: bytesToHex(SENDER) },
      value: [0n, 1n],
    },
    {
      name: "toPrecompile",
      about: "a transaction calls a precompile: its gas, and the account that value leaves there",
      forks: ["Frontier", "EIP158", "Byzantium", "Berlin", "Osaka"],
      to: 2,
      data: ["", words(1, 2)],
      value: [0n, 1n],
      gas: [30_000, 21_059],
    },
    {
      name: "toItself",
      about: "the recipient is the sender: the nonce rises once",
      forks: ["Frontier", "EIP158", "Osaka"],
      to: SENDER,
      data: [words(1)],
      value: [0n, 5n],
    },
    {
      name: "floorBeforeRefund",
      about: "from Prague on the floor holds after refunds",
      forks: ["Cancun", "Prague", "Osaka"],
      code: "0 1 SSTORE 0 2 SSTORE 0 3 SSTORE",
      target: { storage: { 1: 1n, 2: 1n, 3: 1n } },
      data: ["", new Uint8Array(200).fill(1), new Uint8Array(600).fill(1)],
    },
    {
      name: "creationOntoContract",
      about: "a creating transaction whose address is taken uses up its gas",
      forks: ["Frontier", "Byzantium", "Berlin", "Osaka"],
      to: null,
      sender: { nonce: 1n },
      data: [deploy("STOP")],
      accounts: new Map([[contractAddress(SENDER, 1n), { nonce: 1n, code: "1 0 SSTORE" }]]),
    },
  ],
};

/** Fees and validity of transactions. */
export const FEES: readonly Theme[] = [market, transactions];
