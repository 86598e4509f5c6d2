import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../protocol/transaction/envelope.ts";
import { signTransaction } from "../../protocol/transaction/signatures/signing.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";
import { transactionType } from "../../protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../protocol/transaction/types.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";

const BLOB_TYPE = transactionType(TypeCode.blob) as TransactionType;
const FILE = new URL("../../../test/fixtures/blobs/sidecar.json", import.meta.url);

/** A sidecar with valid proofs; the fixture's README describes its content. */
export const SIDECAR: BlobSidecar = readSidecar();

function readSidecar(): BlobSidecar {
  const { commitment, proofs } = JSON.parse(readFileSync(FILE, "utf8")) as {
    readonly commitment: string;
    readonly proofs: readonly string[];
  };
  const blob = new Uint8Array(131_072);
  for (let i = 0; i < 4096; i++) {
    blob[i * 32 + 5] = i & 255;
    blob[i * 32 + 31] = (7 * i) & 255;
  }
  return { version: 1, blobs: [blob], commitments: [hexToBytes(commitment)], proofs: proofs.map(hexToBytes) };
}

/** Parts of a blob transaction. */
export interface BlobParts {
  readonly privateKey: Uint8Array;
  readonly chainId: bigint;
  readonly nonce?: bigint;
  readonly sidecar?: BlobSidecar;
}

/** A signed blob transaction to nobody, whose hashes are those of the sidecar's commitments. */
export function blobTransaction({
  privateKey,
  chainId,
  nonce = 0n,
  sidecar = SIDECAR,
}: BlobParts): Transaction {
  const unsigned = createTransaction({
    type: BLOB_TYPE,
    chainId,
    nonce,
    gas: 21_000n,
    gasPrice: 50_000_000_000n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 500_000_000_000n,
    to: new Uint8Array(20).fill(0x77),
    value: 0n,
    input: new Uint8Array(0),
    accessList: [],
    blobVersionedHashes: sidecar.commitments.map(versionedHash),
    sidecar,
  });
  return signTransaction(unsigned, [privateKey], chainId);
}

/** The same as sent by Ethereum's clients: without the byte 0x78 before its type. */
export function rawBlobTransaction(parts: BlobParts): string {
  return bytesToHex(encodeTransaction(blobTransaction(parts)).subarray(1));
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const digest = Uint8Array.from(createHash("sha256").update(commitment).digest());
  digest[0] = 1;
  return digest;
}
