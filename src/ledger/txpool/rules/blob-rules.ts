import { sha256 } from "@noble/hashes/sha2.js";
import { KZG_VERSION } from "../../../protocol/block/blob-gas.ts";
import { BLOB_BASE_FEE_MULTIPLIER } from "../../../protocol/params/gas.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TransactionPoolError } from "../errors.ts";
import type { PoolHead } from "../head.ts";
import type { BlobVerdicts } from "./blob-proofs.ts";

/** Maximum number of blobs per transaction. */
const MAX_BLOBS = 1;
/** One for each cell of the extended blob. @see EIP-7594 */
const PROOFS_PER_BLOB = 128;

/**
 * Checks a blob transaction: its blob fee cap, that its sidecar matches its versioned hashes, and finally the proofs.
 * @throws TransactionPoolError `INVALID_BLOB`, `WRONG_SIDECAR`, `BLOB_UNVERIFIED`; MissingState while the proofs are verified
 */
export function checkBlobs(transaction: Transaction, head: PoolHead, verdicts: BlobVerdicts): void {
  const { maxFeePerBlobGas, sidecar } = transaction;
  if (sidecar === undefined) throw invalid("missing sidecar in blob transaction");
  const least = head.price * BLOB_BASE_FEE_MULTIPLIER;
  const cap = maxFeePerBlobGas ?? 0n;
  if (cap < least) {
    throw invalid(`transaction gas price below minimum: blob fee cap ${cap}, minimum needed ${least}`);
  }
  checkSidecar(transaction, verdicts);
}

/**
 * Checks that the sidecar of a blob transaction matches its versioned hashes, and finally the proofs.
 * @throws TransactionPoolError `INVALID_BLOB`, `WRONG_SIDECAR`, `BLOB_UNVERIFIED`; MissingState while the proofs are verified
 */
export function checkSidecar(
  { blobVersionedHashes, sidecar }: Pick<Transaction, "blobVersionedHashes" | "sidecar">,
  verdicts: BlobVerdicts,
): void {
  if (sidecar === undefined) throw invalid("missing sidecar in blob transaction");
  const hashes = blobVersionedHashes ?? [];
  const { blobs, commitments, proofs, version } = sidecar;
  if (hashes.length === 0) throw invalid("blobless blob transaction");
  if (hashes.length > MAX_BLOBS) {
    throw invalid(`too many blobs in transaction: have ${hashes.length}, permitted ${MAX_BLOBS}`);
  }
  if (blobs.length !== hashes.length) {
    throw wrong(`invalid number of ${blobs.length} blobs compared to ${hashes.length} blob hashes`);
  }
  if (commitments.length !== hashes.length) {
    const text = `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`;
    throw wrong(text);
  }
  for (const [i, hash] of hashes.entries()) checkCommitment(i, commitments[i] as Uint8Array, hash);
  if (version !== 1) throw wrong(`blob sidecar version ${version} not supported`);
  const wanted = hashes.length * PROOFS_PER_BLOB;
  if (proofs.length !== wanted)
    throw wrong(`invalid number of ${proofs.length} blob proofs expected ${wanted}`);
  verdicts.check(sidecar);
}

function checkCommitment(blob: number, commitment: Uint8Array, wanted: Uint8Array): void {
  const computed = sha256(commitment);
  computed[0] = KZG_VERSION;
  if (equalBytes(computed, wanted)) return;
  const text = `computed hash ${bytesToHex(computed)} mismatches transaction one ${bytesToHex(wanted).slice(2)}`;
  throw wrong(`blob ${blob}: ${text}`);
}

function invalid(text: string): TransactionPoolError {
  return new TransactionPoolError("INVALID_BLOB", text);
}

function wrong(text: string): TransactionPoolError {
  return new TransactionPoolError("WRONG_SIDECAR", text);
}
