import { type Address, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";
import type { Hex } from "../primitives/hex.ts";
import { TransactionError } from "./errors.ts";
import type { AccessListEntry, Authorization, BlobSidecar, Signature, Transaction } from "./transaction.ts";
import type { TransactionType } from "./types.ts";

/** Values cached for a transaction; they stay valid because transactions are immutable. */
export interface TransactionCache {
  /** The full encoding: a view of the input where it came from the wire. */
  raw: Uint8Array | undefined;
  layout: Layout | undefined;
  hash: Hash | undefined;
  /** `hash` in hexadecimal digits. */
  key: Hex | undefined;
  senderHash: Hash | undefined;
  /** Recovered signers and the chain id for which they hold. */
  signers: { readonly chainId: bigint; readonly value: Signers } | undefined;
  /** As recorded in its chain. */
  sender: Address | undefined;
}

/** All caches have one shape, whatever the order in which they are filled: different shapes would make V8 recompile the readers. */
function emptyCache(): TransactionCache {
  return {
    raw: undefined,
    layout: undefined,
    hash: undefined,
    key: undefined,
    senderHash: undefined,
    signers: undefined,
    sender: undefined,
  };
}

/** Offsets of the parts in the encoding of a transaction without sidecar. */
export interface Layout {
  readonly raw: Uint8Array;
  /** First signed field. */
  readonly start: number;
  /** After the last signed field. */
  readonly signedEnd: number;
  /** After the sender's signatures. */
  readonly senderEnd: number;
}

/** The signers of a transaction. */
export interface Signers {
  /** Recovered for legacy and Ethereum types, else the declared `from`. */
  readonly sender: Address;
  /** Public keys as recovered, 64 bytes each (x and y), in the order of the signatures; `validateSigners` judges them. */
  readonly senderKeys: readonly Uint8Array[];
  /** As `senderKeys`; empty without a separate fee payer. */
  readonly feePayerKeys: readonly Uint8Array[];
  /**
   * Whose signatures a development chain accepts without a key: `validate` then checks no account key. Never set by
   * recovery.
   */
  readonly vouched?: { readonly sender: boolean; readonly feePayer: boolean };
}

/** The parts of a transaction; omitted ones are zero, empty or absent. */
export type TransactionParts = Pick<Transaction, "type"> & Partial<Transaction>;

/** The class of all transactions created here: one shape in memory and a cache that copies do not inherit. */
export class TransactionValue implements Transaction {
  readonly type: TransactionType;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly from: Address | undefined;
  readonly key: Uint8Array | undefined;
  readonly humanReadable: boolean | undefined;
  readonly codeFormat: bigint | undefined;
  readonly feePayer: Address | undefined;
  readonly feeRatio: number | undefined;
  readonly chainId: bigint | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
  readonly maxFeePerBlobGas: bigint | undefined;
  readonly blobVersionedHashes: readonly Hash[] | undefined;
  readonly authorizationList: readonly Authorization[] | undefined;
  readonly sidecar: BlobSidecar | undefined;
  readonly signatures: readonly Signature[];
  readonly feePayerSignatures: readonly Signature[] | undefined;
  readonly #cache = emptyCache();

  constructor(parts: TransactionParts) {
    this.type = parts.type;
    this.nonce = parts.nonce ?? 0n;
    this.gas = parts.gas ?? 0n;
    this.gasPrice = parts.gasPrice ?? 0n;
    this.maxPriorityFeePerGas = parts.maxPriorityFeePerGas;
    this.to = parts.to;
    this.value = parts.value ?? 0n;
    this.input = parts.input ?? EMPTY_BYTES;
    this.from = parts.from;
    this.key = parts.key;
    this.humanReadable = parts.humanReadable;
    this.codeFormat = parts.codeFormat;
    this.feePayer = parts.feePayer;
    this.feeRatio = parts.feeRatio;
    this.chainId = parts.chainId;
    this.accessList = parts.accessList;
    this.maxFeePerBlobGas = parts.maxFeePerBlobGas;
    this.blobVersionedHashes = parts.blobVersionedHashes;
    this.authorizationList = parts.authorizationList;
    this.sidecar = parts.sidecar;
    this.signatures = parts.signatures ?? [];
    this.feePayerSignatures = parts.feePayerSignatures;
  }

  static cacheOf(tx: Transaction): TransactionCache | undefined {
    return #cache in tx ? tx.#cache : undefined;
  }
}

/** Caches of transactions created as object literals. */
const literals = new WeakMap<Transaction, TransactionCache>();

/** The cache of a transaction, which lives as long as the object. */
export function cacheOf(tx: Transaction): TransactionCache {
  const own = TransactionValue.cacheOf(tx);
  if (own !== undefined) return own;
  let cache = literals.get(tx);
  if (cache === undefined) {
    cache = emptyCache();
    literals.set(tx, cache);
  }
  return cache;
}

/**
 * A transaction of these parts. Fields that its type does not have are carried, but never encoded.
 * @throws TransactionError `TX_MALFORMED` when a required address or key is missing
 */
export function createTransaction(parts: TransactionParts): Transaction {
  const complete: { -readonly [K in keyof TransactionParts]: TransactionParts[K] } = { ...parts };
  for (const { property, wire, optional } of parts.type.fields) {
    if (complete[property] !== undefined || optional) continue;
    if (wire.zero === undefined) {
      throw new TransactionError("TX_MALFORMED", `${parts.type.name} without ${property}`, { property });
    }
    // A field's property and wire type belong together, which the table's element type has forgotten.
    complete[property] = wire.zero as never;
  }
  return new TransactionValue(complete);
}
