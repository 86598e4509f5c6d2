import { decodeAccountKey } from "../account/key-codec.ts";
import { RlpError, readHeader } from "../codec/rlp/item.ts";
import { expectMore, located, within } from "../codec/rlp/location.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { readSidecar } from "./blob.ts";
import { TransactionError } from "./errors.ts";
import { blobHashes, feePayer, feePayerSignatures, signatures, type TransactionField } from "./fields.ts";
import { checkSignatures, readScalars } from "./signatures/signature.ts";
import type { Transaction } from "./transaction.ts";
import { ETHEREUM_ENVELOPE, TRANSACTION_TYPES, transactionType } from "./type-table.ts";
import { type TransactionType, TypeCode } from "./types.ts";
import { cacheOf, type Layout, TransactionValue } from "./value.ts";

/** Transactions decoded per step: some two milliseconds. */
const DECODED_PER_STEP = 256;

/**
 * Decodes a transaction that fills the input.
 * @param raw - kept as the encoding of the result, whose byte fields are views of it; must not change afterwards
 * @throws RlpError, TransactionError with the reference node's texts
 */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const { transaction, end } = readTransaction(raw, 0);
  if (end !== raw.length) {
    throw new RlpError("RLP_TRAILING_BYTES", "rlp: input contains more than one value", { end });
  }
  return transaction;
}

/**
 * Decodes a transaction that is still being signed: one of Kaia's own types may have no signature yet.
 * @param raw - as for `decodeTransaction`
 * @throws as `decodeTransaction`
 */
export function decodeDraft(raw: Uint8Array): Transaction {
  const { transaction, end } = readTransaction(raw, 0, true);
  if (end !== raw.length)
    throw new RlpError("RLP_TRAILING_BYTES", "rlp: input contains more than one value", { end });
  return transaction;
}

/**
 * Decodes the transaction at `offset`; the rest is ignored. In blocks and messages a typed
 * transaction is not wrapped: its type and its list are adjacent items.
 * @param isDraft - whether signatures may be missing
 * @returns the transaction, whose byte fields are views of the input, and the offset behind it
 * @throws RlpError, TransactionError
 */
export function readTransaction(
  bytes: Uint8Array,
  offset: number,
  isDraft = false,
): { readonly transaction: Transaction; readonly end: number } {
  const reader = new RlpReader(bytes, offset);
  const type = readType(reader);
  const canonical = reader.position - offset === type.prefix.length;
  const transaction = new TransactionValue({ type });
  const { start, signedEnd, senderEnd } = readPayload(reader, transaction);
  if (!isDraft || type.ethereum || transaction.signatures.length > 0) checkSignatures(transaction);
  checkKey(transaction);
  if (canonical) {
    const raw = bytes.subarray(offset, reader.position);
    const cache = cacheOf(transaction);
    cache.raw = raw;
    if (transaction.sidecar === undefined) {
      cache.layout = {
        raw,
        start: start - offset,
        signedEnd: signedEnd - offset,
        senderEnd: senderEnd - offset,
      };
    }
  }
  return { transaction, end: reader.position };
}

/** Whether an encoded transaction is longer than wanted, as `endOfLong` tells it; its type does not count. */
export function isLong(bytes: Uint8Array, most: number): boolean {
  try {
    return bytes.length > most && endOfLong(bytes, 0, most) !== undefined;
  } catch {
    return false; // decoding it names the error
  }
}

/**
 * Where a transaction ends that is longer than wanted, found by its type and the header of its list alone: it may have thousands of keys,
 * each of which would be checked. A blob transaction is never too long, as most of it may be its sidecar.
 * @param most - bytes without the type
 * @returns undefined if it is not longer
 * @throws RlpError, TransactionError
 */
export function endOfLong(bytes: Uint8Array, offset: number, most: number): number | undefined {
  const reader = new RlpReader(bytes, offset);
  const { code } = readType(reader);
  if (code === TypeCode.blob || !reader.isList()) return undefined;
  const { end } = readHeader(bytes, reader.position, bytes.length, true);
  return end - reader.position > most ? end : undefined;
}

/**
 * Decodes the transactions that fill the input one after the other: the payload of a block's transaction list.
 * @throws RlpError, TransactionError
 */
export function decodeTransactions(payload: Uint8Array): Transaction[] {
  const steps = decodeTransactionsInSteps(payload);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** As `decodeTransactions`, in steps. */
export function* decodeTransactionsInSteps(payload: Uint8Array): Generator<void, Transaction[]> {
  const transactions: Transaction[] = [];
  for (let at = 0; at < payload.length; ) {
    const { transaction, end } = readTransaction(payload, at);
    if (transactions.push(transaction) % DECODED_PER_STEP === 0) yield;
    at = end;
  }
  return transactions;
}

function readType(reader: RlpReader): TransactionType {
  const code = reader.isList() ? 0 : readCode(reader);
  const type = transactionType(code);
  if (type === undefined) throw new TransactionError("TX_TYPE_UNKNOWN", "undefined tx type", { code });
  return type;
}

function readCode(reader: RlpReader): number {
  const code = typeNumber(reader);
  return code === ETHEREUM_ENVELOPE ? (code << 8) | Number(reader.uint("types.TxType", 2)) : code;
}

/**
 * The type, or 0 for what is no number: the reference decodes that as a legacy transaction. A short string that is not canonical
 * has been read by then, so a legacy transaction may follow it; a byte of 0 has not.
 */
function typeNumber(reader: RlpReader): number {
  const start = reader.position;
  const isString = reader.hasShortString();
  try {
    return Number(reader.uint("types.TxType", 2));
  } catch (error) {
    if (!(error instanceof RlpError) || error.code === "RLP_SHORT_INPUT" || error.code === "RLP_EMPTY")
      throw error;
    if (error.code !== "RLP_NOT_CANONICAL") return 0;
    if (isString && reader.position === start) reader.skip();
    if (isString || reader.position === start) return 0;
    const text = "rlp: expected input list for types.TxInternalDataLegacy";
    throw new RlpError("RLP_SHAPE", text, {}, { cause: error });
  }
}

/** A transaction being decoded: filling one object of the final shape is faster than copying a draft. */
type Draft = { -readonly [K in keyof Transaction]: Transaction[K] };

/** Offsets of the first signed field, after the last one, and after the sender's signatures. */
type Offsets = Omit<Layout, "raw">;

/** Decoding data of a type besides its table row. */
interface Shape {
  /** The Go types through which the reference descends to the fields, for its error texts. */
  readonly structs: readonly string[];
  /** Struct that holds the fields. */
  readonly struct: string;
  /** Whether a sidecar may enclose the fields. */
  readonly blob: boolean;
}

const shapes = new Map(TRANSACTION_TYPES.map((type) => [type, shapeOf(type)]));

function shapeOf(type: TransactionType): Shape {
  const base = `TxInternalData${type.code === 0 ? "Legacy" : type.name.slice("TxType".length)}`;
  const blob = type.fields.includes(blobHashes);
  const structs = ["types.Transaction", "types.TxInternalDataSerializer", `types.${base}`];
  if (blob) structs.push(`types.${base}Serializable`);
  if (type.effect === "accountUpdate") structs.push(`types.t${base.slice(1)}Serializable`);
  return { structs, struct: structs.at(-1) as string, blob };
}

function readPayload(reader: RlpReader, draft: Draft): Offsets {
  const shape = shapes.get(draft.type) as Shape;
  const { structs, struct, blob } = shape;
  if (blob && !reader.isList()) throw new RlpError("RLP_SHAPE", "rlp: expected List");
  try {
    reader.enterList(struct);
    const network = blob && !reader.atEnd && reader.isList();
    const offsets = network ? readNetworkForm(reader, draft, shape) : readMembers(reader, draft, struct);
    reader.leaveList();
    return offsets;
  } catch (error) {
    throw located(error, structs);
  }
}

/** Fields and sidecar in one list, whose second element determines the version: version 0 has no number. */
function readNetworkForm(reader: RlpReader, draft: Draft, { structs, struct }: Shape): Offsets {
  const network = `types.blobTxWithBlobsV${reader.isListAfterNext() ? 0 : 1}`;
  try {
    const offsets = readEnclosed(reader, draft, struct);
    draft.sidecar = readSidecar(reader, network);
    if (reader.atEnd) return offsets;
    throw new RlpError("RLP_SHAPE", `rlp: input list has too many elements for ${network}`);
  } catch (error) {
    throw located(error, [...structs.slice(0, -1), network]);
  }
}

function readEnclosed(reader: RlpReader, draft: Draft, struct: string): Offsets {
  try {
    reader.enterList(struct);
    const offsets = readMembers(reader, draft, struct);
    reader.leaveList();
    return offsets;
  } catch (error) {
    throw within(error, ".BlobTx");
  }
}

function readMembers(reader: RlpReader, draft: Draft, struct: string): Offsets {
  const { type } = draft;
  const start = reader.position;
  for (const field of type.fields) readField(reader, draft, field, struct);
  const signedEnd = reader.position;
  if (type.ethereum) draft.signatures = [readScalars(reader, struct)];
  else readField(reader, draft, signatures, struct);
  const senderEnd = reader.position;
  if (type.feeMode !== "sender") {
    readField(reader, draft, feePayer, struct);
    readField(reader, draft, feePayerSignatures, struct);
  }
  return { start, signedEnd, senderEnd };
}

function readField(reader: RlpReader, draft: Draft, field: TransactionField, struct: string): void {
  expectMore(reader, struct);
  try {
    // A field's property and wire type belong together, which the table's element type has forgotten.
    draft[field.property] = field.wire.read(reader) as never;
  } catch (error) {
    throw within(error, `.${field.goName}`);
  }
}

function checkKey({ key }: Transaction): void {
  if (key === undefined) return;
  try {
    decodeAccountKey(key);
  } catch (cause) {
    throw new TransactionError("TX_KEY", "key is not serializable", {}, { cause });
  }
}
