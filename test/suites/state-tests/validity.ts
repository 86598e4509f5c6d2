import type { StateJournal } from "../../../src/ledger/state/journal/journal-types.ts";
import { delegationTarget } from "../../../src/protocol/account/delegation.ts";
import { GAS_PER_BLOB } from "../../../src/protocol/params/gas.ts";
import { type EthereumBlock, isSince } from "./ethereum-block.ts";
import type { EthereumTransaction } from "./fixture.ts";
import { floorGas, paidGas, smaller } from "./intrinsic-gas.ts";

const WORD_LIMIT = 1n << 256n;
const LAST_NONCE = (1n << 64n) - 1n;
/** @see EIP-3860 */
const MAX_INIT_CODE_BYTES = 49_152;
/** First byte of a versioned hash of a KZG commitment. @see EIP-4844 */
const KZG_VERSION = 1;
/** @see EIP-7825 */
const MAX_TRANSACTION_GAS = 1n << 24n;
/** @see EIP-7594 */
const MAX_TRANSACTION_BLOBS = 6;

/** Price that a transaction pays for its gas, wei. @see EIP-1559 */
export function effectivePrice(tx: EthereumTransaction, { baseFee }: EthereumBlock): bigint {
  return smaller(baseFee + tx.maxPriorityFeePerGas, tx.maxFeePerGas);
}

/** Blob gas of a transaction. */
export function blobGas(tx: EthereumTransaction): bigint {
  return BigInt(tx.blobs?.hashes.length ?? 0) * GAS_PER_BLOB;
}

/** Why a transaction is invalid in a block, by the names of the published tests: all reasons, or none if it is valid. */
export function validityErrors(tx: EthereumTransaction, block: EthereumBlock, state: StateJournal): string[] {
  const rules: readonly (readonly [name: string, holds: boolean])[] = [
    ["RLP_INVALID_VALUE", tx.value >= WORD_LIMIT],
    ["NONCE_IS_MAX", tx.nonce === LAST_NONCE],
    ["NONCE_MISMATCH", tx.nonce !== state.nonce(tx.sender)],
    ["SENDER_NOT_EOA", isProgram(tx, state)],
    ["GAS_ALLOWANCE_EXCEEDED", tx.gas > block.gasLimit],
    ["PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS", tx.maxPriorityFeePerGas > tx.maxFeePerGas],
    ["INSUFFICIENT_MAX_FEE_PER_GAS", tx.maxFeePerGas < block.baseFee],
    ["GASLIMIT_PRICE_PRODUCT_OVERFLOW", tx.gas * tx.maxFeePerGas >= WORD_LIMIT],
    ["INSUFFICIENT_ACCOUNT_FUNDS", maxCost(tx) > state.balance(tx.sender)],
    ["INTRINSIC_GAS_TOO_LOW", tx.gas < paidGas(tx, block.fork)],
    ["INTRINSIC_GAS_BELOW_FLOOR_GAS_COST", tx.gas < floorGas(tx, block.fork)],
    ["GAS_LIMIT_EXCEEDS_MAXIMUM", isSince(block.fork, "Osaka") && tx.gas > MAX_TRANSACTION_GAS],
    ["INITCODE_SIZE_EXCEEDED", exceedsInitCode(tx, block)],
    ["TYPE_1_TX_PRE_FORK", tx.accessList.length > 0 && !isSince(block.fork, "Berlin")],
    ...blobErrors(tx, block),
    ...authorizationErrors(tx, block),
  ];
  return rules.filter(([, holds]) => holds).map(([name]) => `TransactionException.${name}`);
}

function blobErrors(tx: EthereumTransaction, block: EthereumBlock): (readonly [string, boolean])[] {
  if (tx.blobs === undefined) return [];
  const { hashes, maxFeePerBlobGas } = tx.blobs;
  return [
    ["TYPE_3_TX_PRE_FORK", !isSince(block.fork, "Cancun")],
    ["TYPE_3_TX_CONTRACT_CREATION", tx.to === undefined],
    ["TYPE_3_TX_ZERO_BLOBS", hashes.length === 0],
    ["TYPE_3_TX_BLOB_COUNT_EXCEEDED", hashes.length > maxBlobsOf(block)],
    ["TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH", hashes.some((hash) => hash[0] !== KZG_VERSION)],
    ["INSUFFICIENT_MAX_FEE_PER_BLOB_GAS", maxFeePerBlobGas < block.blobBaseFee],
  ];
}

function maxBlobsOf({ fork, maxBlobsOf: inBlock }: EthereumBlock): number {
  return isSince(fork, "Osaka") ? Math.min(inBlock, MAX_TRANSACTION_BLOBS) : inBlock;
}

/** @see EIP-7702 */
function authorizationErrors(
  { to, authorizationList }: EthereumTransaction,
  { fork }: EthereumBlock,
): (readonly [string, boolean])[] {
  if (authorizationList === undefined) return [];
  return [
    ["TYPE_4_TX_PRE_FORK", !isSince(fork, "Prague")],
    ["TYPE_4_TX_CONTRACT_CREATION", to === undefined],
    ["TYPE_4_EMPTY_AUTHORIZATION_LIST", authorizationList.length === 0],
  ];
}

/** What the sender must have, wei: value and gas and blobs at the highest prices it offers. */
function maxCost(tx: EthereumTransaction): bigint {
  return tx.gas * tx.maxFeePerGas + tx.value + blobGas(tx) * (tx.blobs?.maxFeePerBlobGas ?? 0n);
}

/** Whether the sender has code, a delegation set aside; refused since genesis. @see EIP-3607, EIP-7702 */
function isProgram(tx: EthereumTransaction, state: StateJournal): boolean {
  const code = state.code(tx.sender);
  return code.length > 0 && delegationTarget(code) === undefined;
}

/** @see EIP-3860 */
function exceedsInitCode(tx: EthereumTransaction, { fork }: EthereumBlock): boolean {
  return tx.to === undefined && isSince(fork, "Shanghai") && tx.input.length > MAX_INIT_CODE_BYTES;
}
