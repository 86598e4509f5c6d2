import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import type { Row } from "../../state.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { ByteReader, ByteWriter } from "./byte-writer.ts";

const BLOCK = 1;
const REWIND = 2;
const ROWS = 3;
const AMEND = 4;
const GROUP = 5;
const CODES = { block: BLOCK, rewind: REWIND, rows: ROWS, amend: AMEND } as const;

/** A block of the chain with the root of the state after it. */
export interface BlockState {
  readonly number: bigint;
  readonly hash: Hash;
  readonly root: Hash;
}

/** A log entry: all that is needed to replay one atomic change. */
export type LogEntry =
  | {
      /** `amend`: a change of the head's state outside any block. */
      readonly type: "block" | "amend";
      readonly block: BlockState;
      readonly changes: readonly Pick<FlatChange, "key" | "after">[];
      readonly rows: readonly Row[];
    }
  | { readonly type: "rewind"; readonly block: BlockState; readonly rows: readonly Row[] }
  | { readonly type: "rows"; readonly rows: readonly Row[] };

/** Changes, or rows, encoded per step. */
const ENCODED_PER_STEP = 128;

/** Encodes an entry for the log. @throws RangeError for a key or table name longer than 255 bytes */
export function encodeLogEntry(entry: LogEntry): Uint8Array {
  return runSync(encodeLogEntryInSteps(entry));
}

/** As `encodeLogEntry`, in steps. */
export function* encodeLogEntryInSteps(entry: LogEntry): Generator<void, Uint8Array> {
  const writer = new ByteWriter(4096);
  writer.uint8(CODES[entry.type]);
  if (entry.type !== "rows") writer.uint64(entry.block.number).raw(entry.block.hash).raw(entry.block.root);
  if (entry.type === "block" || entry.type === "amend") {
    writer.uint32(entry.changes.length);
    let encoded = 0;
    for (const { key, after } of entry.changes) {
      writer.uint8(key.length).raw(key).optional(after);
      if (++encoded % ENCODED_PER_STEP === 0) yield;
    }
  }
  yield* writeRows(writer, entry.rows);
  return writer.bytes();
}

/** Combines several encoded entries into one that is applied as a whole or not at all. */
export function groupLogEntries(entries: readonly Uint8Array[]): Uint8Array {
  const length = entries.reduce((sum, entry) => sum + 4 + entry.length, 5);
  const writer = new ByteWriter(length).uint8(GROUP).uint32(entries.length);
  for (const entry of entries) writer.optional(entry);
  return writer.bytes();
}

/** Decodes the output of `encodeLogEntry` or `groupLogEntries`, in order; byte strings are views. */
export function* decodeLogEntries(bytes: Uint8Array): Generator<LogEntry> {
  const reader = new ByteReader(bytes);
  const type = reader.uint8();
  if (type !== GROUP) {
    yield decodeEntry(type, reader);
    return;
  }
  for (let left = reader.uint32(); left > 0; left--) yield* decodeLogEntries(reader.optional() as Uint8Array);
}

function decodeEntry(type: number, reader: ByteReader): LogEntry {
  if (type === ROWS) return { type: "rows", rows: readRows(reader) };
  const block = { number: reader.uint64(), hash: reader.raw(32), root: reader.raw(32) };
  if (type === REWIND) return { type: "rewind", block, rows: readRows(reader) };
  if (type !== BLOCK && type !== AMEND) throw new RangeError(`unknown log entry ${type}`);
  const changes = Array.from({ length: reader.uint32() }, () => ({
    key: reader.raw(reader.uint8()),
    after: reader.optional(),
  }));
  return { type: type === BLOCK ? "block" : "amend", block, changes, rows: readRows(reader) };
}

function* writeRows(writer: ByteWriter, rows: readonly Row[]): Generator<void> {
  const tables = [...new Set(rows.map(({ table }) => table))];
  writer.uint8(tables.length);
  for (const table of tables) {
    const name = Buffer.from(table);
    writer.uint8(name.length).raw(name);
  }
  writer.uint32(rows.length);
  let encoded = 0;
  for (const { table, key, value } of rows) {
    writer.uint8(tables.indexOf(table)).uint8(key.length).raw(key).optional(value);
    if (++encoded % ENCODED_PER_STEP === 0) yield;
  }
}

function readRows(reader: ByteReader): Row[] {
  const tables = Array.from({ length: reader.uint8() }, () =>
    Buffer.from(reader.raw(reader.uint8())).toString(),
  );
  return Array.from({ length: reader.uint32() }, () => ({
    table: tables[reader.uint8()] as string,
    key: reader.raw(reader.uint8()),
    value: reader.optional(),
  }));
}
