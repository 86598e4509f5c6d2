import { readAccountKey, trustedPoint } from "../account/key-codec.ts";
import { accountKeyCreationGas } from "../account/key-rules.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import type { Rules } from "../params/forks.ts";
import {
  ACCESS_LIST_ADDRESS_GAS,
  ACCESS_LIST_SLOT_GAS,
  AUTHORIZATION_GAS,
  CREATION_GAS,
  FEE_DELEGATION_GAS,
  FLOOR_GAS_PER_TOKEN,
  GAS_PER_BLOB,
  HUMAN_READABLE_GAS,
  INIT_CODE_WORD_GAS,
  INPUT_BYTE_GAS,
  NONZERO_BYTE_GAS,
  NONZERO_BYTE_GAS_FRONTIER,
  SHARED_FEE_GAS,
  TOKENS_PER_NONZERO_BYTE,
  TRANSACTION_GAS,
  ZERO_BYTE_GAS,
} from "../params/gas.ts";
import { TransactionError } from "./errors.ts";
import type { Transaction } from "./transaction.ts";
import type { FeeMode } from "./types.ts";

const FEE_MODE_GAS: Readonly<Record<FeeMode, bigint>> = {
  sender: 0n,
  feePayer: FEE_DELEGATION_GAS,
  shared: SHARED_FEE_GAS,
};

/** The forks that change what a transaction costs before it runs. */
export type GasRules = Pick<Rules, "istanbul" | "shanghai" | "prague">;

/**
 * Gas that a transaction costs before execution, without the gas for checking signatures, which depends on the
 * signers' keys (`signatureValidationGas`).
 * @throws TransactionError `TX_GAS_OVERFLOW`; AccountKeyError when an account update has too many keys
 */
export function intrinsicGas(tx: Transaction, rules: GasRules): bigint {
  const creates = isCreation(tx);
  return uint64(
    (creates ? CREATION_GAS : TRANSACTION_GAS) +
      FEE_MODE_GAS[tx.type.feeMode] +
      inputGas(tx, rules) +
      (creates && rules.shanghai ? BigInt(Math.ceil(tx.input.length / 32)) * INIT_CODE_WORD_GAS : 0n) +
      extrasGas(tx),
  );
}

/** Whether the transaction creates a contract: a deploy, or an Ethereum type without recipient. */
export function isCreation({ type, to }: Transaction): boolean {
  return type.effect === "deploy" || (type.effect === "ethereum" && to === undefined);
}

/**
 * Minimum gas limit and gas used of a transaction from prague on; 0 before.
 * @param signatureGas - for checking the signatures of sender and fee payer
 * @throws TransactionError `TX_GAS_OVERFLOW`
 * @see EIP-7623; the share for the type is the reference's own
 */
export function floorGas(tx: Transaction, rules: Pick<Rules, "prague">, signatureGas = 0n): bigint {
  if (!rules.prague) return 0n;
  const base = tx.type.effect === "deploy" ? CREATION_GAS : TRANSACTION_GAS;
  const zeros = countZeros(tx.input);
  const tokens = BigInt(tx.input.length - zeros) * TOKENS_PER_NONZERO_BYTE + BigInt(zeros);
  return uint64(base + FEE_MODE_GAS[tx.type.feeMode] + tokens * FLOOR_GAS_PER_TOKEN + signatureGas);
}

/** Blob gas that a transaction uses; 0 for all but blob transactions. */
export function blobGas({ blobVersionedHashes }: Transaction): bigint {
  return BigInt(blobVersionedHashes?.length ?? 0) * GAS_PER_BLOB;
}

function inputGas({ type, input }: Transaction, rules: GasRules): bigint {
  const length = BigInt(input.length);
  if (length === 0n) return 0n;
  const flat = !rules.prague && (rules.istanbul || !type.ethereum);
  if (flat) return length * INPUT_BYTE_GAS;
  const zeros = BigInt(countZeros(input));
  return (
    zeros * ZERO_BYTE_GAS + (length - zeros) * (rules.prague ? NONZERO_BYTE_GAS : NONZERO_BYTE_GAS_FRONTIER)
  );
}

/** Costs of single types: keys, access lists, authorizations, a human-readable address. */
function extrasGas({ key, accessList, authorizationList, humanReadable }: Transaction): bigint {
  let gas = key === undefined ? 0n : newKeyGas(key);
  if (accessList !== undefined)
    for (const { storageKeys } of accessList)
      gas += ACCESS_LIST_ADDRESS_GAS + BigInt(storageKeys.length) * ACCESS_LIST_SLOT_GAS;
  if (authorizationList !== undefined) gas += BigInt(authorizationList.length) * AUTHORIZATION_GAS;
  return humanReadable ? gas + HUMAN_READABLE_GAS : gas;
}

/** The points of the key were checked when the transaction was decoded. */
function newKeyGas(key: Uint8Array): bigint {
  return accountKeyCreationGas(readAccountKey(new RlpReader(key), trustedPoint));
}

function countZeros(bytes: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++;
  return zeros;
}

function uint64(gas: bigint): bigint {
  if (gas >> 64n === 0n) return gas;
  throw new TransactionError("TX_GAS_OVERFLOW", "gas uint64 overflow", { gas });
}

export { feeShares } from "./fees.ts";
