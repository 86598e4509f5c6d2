import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { ChangeRecord, LogState, NewRecord } from "../change-log.ts";
import { ClusterError } from "../errors.ts";

/** Maximum lengths of the holder's name and URL. */
const MOST = { holder: 256, url: 2_048 };

/** A column of 32 bytes, truncated to 33 to detect longer values. */
export function bounded(column: string): string {
  return `SUBSTRING(${column} FROM 1 FOR 33)`;
}

/** Columns of the lease with its remaining time by the database's clock; at most a day, since it may have been edited manually. */
export const LEASE_COLUMNS = `l.epoch, SUBSTRING(l.holder FROM 1 FOR ${MOST.holder}) AS holder,
  SUBSTRING(l.url FROM 1 FOR ${MOST.url + 1}) AS url, l.height, ${bounded("l.hash")} AS hash, l.first,
  EXTRACT(EPOCH FROM (GREATEST(LEAST(l.until, now() + INTERVAL '1 day'), now() - INTERVAL '1 day') - now())) * 1000 AS left_ms,
  l.until::TEXT AS until`;

/** A row of the lease; the driver returns 64-bit numbers as text. */
export interface LeaseRow {
  readonly epoch: string;
  readonly holder: string;
  readonly url: string;
  readonly until: string;
  readonly height: string;
  readonly hash: Uint8Array;
  readonly first: string;
  readonly left_ms: string;
}

/** A row of a record joined to that of the lease; all null if there is none. */
export interface Cells {
  readonly at: string | null;
  readonly of_epoch: string;
  readonly block_hash: Uint8Array;
  readonly parent_hash: Uint8Array;
  readonly state_root: Uint8Array;
  readonly checksum: Uint8Array;
  readonly size: number;
  /** In Base64: a third less on the wire than BYTEA, which is sent as hex. */
  readonly payload: string | null;
}

/** The log's state according to a row of the lease. @throws ClusterError `LOG_INCONSISTENT` */
export function stateOf(row: LeaseRow): LogState {
  return {
    epoch: integerOf(row.epoch, "the epoch of the lease"),
    holder: String(row.holder),
    url: String(row.url),
    leftMs: Number(row.left_ms) || 0,
    until: String(row.until),
    height: integerOf(row.height, "the height of the lease"),
    hash: viewOf(row.hash),
    first: integerOf(row.first, "the first height of the lease"),
  };
}

/** The record of a row, whose payload is decoded between other work; undefined if there is none. @throws ClusterError `LOG_INCONSISTENT` */
export async function recordOf(row: Cells): Promise<ChangeRecord | undefined> {
  if (row.at === null) return undefined;
  return {
    height: integerOf(row.at),
    epoch: integerOf(row.of_epoch),
    hash: viewOf(row.block_hash),
    parentHash: viewOf(row.parent_hash),
    stateRoot: viewOf(row.state_root),
    checksum: viewOf(row.checksum),
    payload: row.payload === null ? undefined : await bytesOf(row.payload),
    size: Number(row.size),
  };
}

/** A non-negative number, as the driver returns it. @param name - for people @throws ClusterError `LOG_INCONSISTENT` */
export function integerOf(value: unknown, name = "a number"): bigint {
  const text = String(value);
  if (/^[0-9]{1,19}$/.test(text)) return BigInt(text);
  const told = `the change log is damaged, or was edited by hand: ${name} is ${text.slice(0, 32)}`;
  throw new ClusterError("LOG_INCONSISTENT", told);
}

/** Plain bytes: slices of a `Buffer` are not copies. @throws ClusterError `LOG_INCONSISTENT` */
export function viewOf(bytes: unknown): Uint8Array {
  if (!(bytes instanceof Uint8Array))
    throw new ClusterError("LOG_INCONSISTENT", "the database returned a value that is not bytes");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Characters of Base64 decoded in one piece, some milliseconds: whole lines of 76 characters, as the database breaks them. What is broken
 * elsewhere becomes other bytes than those of the checksum.
 */
const TEXT_PER_STEP = 77 * 16_384;

/** The bytes of a Base64 text, decoded between other work. @throws ClusterError `LOG_INCONSISTENT` */
export async function bytesOf(text: unknown, pace: Pace = new TimeSlice()): Promise<Uint8Array> {
  if (typeof text !== "string")
    throw new ClusterError("LOG_INCONSISTENT", "the database returned a value that is not text");
  if (text.length <= TEXT_PER_STEP) return viewOf(Buffer.from(text, "base64"));
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * 3) / 4));
  let end = 0;
  for (let at = 0; at < text.length; at += TEXT_PER_STEP) {
    end += bytes.write(text.slice(at, at + TEXT_PER_STEP), end, "base64");
    if (pace.isDue()) await pace.yield();
  }
  return viewOf(bytes.subarray(0, end));
}

/** Column types of the parameters of `recordRows`, in its order. */
const TYPES = ["BIGINT", "BYTEA", "BYTEA", "BYTEA", "BYTEA", "BYTEA"];

/** Records as rows of a VALUES list. @param from - number of the first parameter */
export function recordRows(
  records: readonly NewRecord[],
  from: number,
): { readonly text: string; readonly values: readonly unknown[] } {
  const rows = records.map((_, i) => {
    const cells = TYPES.map((type, cell) => `$${from + i * TYPES.length + cell}::${type}`);
    return `(${cells.join(", ")})`;
  });
  const values = records.flatMap(({ height, hash, parentHash, stateRoot, checksum, payload }) => [
    ...[height, hash, parentHash, stateRoot, checksum, payload],
  ]);
  return { text: rows.join(", "), values };
}
