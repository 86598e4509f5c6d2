import type { BlockContext } from "../../../src/ledger/evm/evm.ts";
import type { EthereumFork } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import { ETHEREUM_FORKS } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import { rulesAt } from "../../../src/ledger/evm/testing/run-code.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { type Fixture, quantity, wordQuantity } from "./fixture.ts";

/** Limits and price slope of blobs by fork. @see EIP-4844, EIP-7691 */
const BLOBS = {
  Cancun: { max: 6, updateFraction: 3_338_477n },
  Prague: { max: 9, updateFraction: 5_007_716n },
} as const;

/** The block's data used by the rules of a transaction. */
export interface EthereumBlock extends BlockContext {
  readonly fork: EthereumFork;
  /** Maximum blobs in a block; 0 before blobs. */
  readonly maxBlobsOf: number;
}

/** Whether a fork is `first` or a later one. */
export function isSince(fork: EthereumFork, first: EthereumFork): boolean {
  return ETHEREUM_FORKS.indexOf(fork) >= ETHEREUM_FORKS.indexOf(first);
}

/** The block that a fixture's environment describes; mainnet's chain id. */
export function blockOf({ env }: Fixture, fork: EthereumFork): EthereumBlock {
  const blobs = isSince(fork, "Prague") ? BLOBS.Prague : isSince(fork, "Cancun") ? BLOBS.Cancun : undefined;
  const excess = quantity(env["currentExcessBlobGas"]);
  return {
    fork,
    rules: { ...rulesAt("osaka"), chainId: 1n },
    number: quantity(env["currentNumber"]),
    time: quantity(env["currentTimestamp"]),
    coinbase: hexToBytes(env["currentCoinbase"] as string),
    prevRandao: wordQuantity(env[isSince(fork, "Paris") ? "currentRandom" : "currentDifficulty"]),
    baseFee: isSince(fork, "London") ? quantity(env["currentBaseFee"]) : 0n,
    blobBaseFee: blobs ? exponential(1n, excess, blobs.updateFraction) : 0n,
    gasLimit: quantity(env["currentGasLimit"]),
    maxBlobsOf: blobs?.max ?? 0,
    blockHash: (number) => keccak256(new TextEncoder().encode(number.toString())),
  };
}

/** factor × e^(numerator / denominator) by its Taylor series in integers. @see EIP-4844 `fake_exponential` */
function exponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}
