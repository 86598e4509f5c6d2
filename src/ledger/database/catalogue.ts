import { DatabaseError } from "./errors.ts";
import type { SegmentRange } from "./log/segment.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";

/**
 * Version of the layout of keys, records and tables; changing it requires a migration. Format 2 introduced posting lists
 * for log searches; the chain reindexes a database of format 1. Format 3 introduced row checksums, which are added when
 * an older database is opened.
 */
const FORMAT = 3;
/** Formats whose rows have no checksums. */
const UNCHECKED: ReadonlySet<number> = new Set([1, 2]);
/** Tables use the prefix bytes from 1 on; the catalogue's rows use 0. */
const FORMAT_KEY = Buffer.from("\0format");
const SEQUENCE_KEY = Buffer.from("\0sequence");
const TABLES_KEY = Buffer.from("\0tables");

/** Metadata stored in the engine along with the tables. */
export interface Catalogue {
  /** Sequence number of the last log record flushed to the engine. */
  readonly sequence: number;
  /** Segments of the log that have all later records; undefined in a database of an earlier version. */
  readonly segments?: SegmentRange | undefined;
  /** Names of the tables; the first has prefix byte 1. */
  readonly tables: readonly string[];
}

/** Whether the engine's rows are of an earlier format without checksums, in which even the format row has none. */
export function hasUncheckedRows(store: KeyValueStore): boolean {
  const format = store.get(FORMAT_KEY);
  return format?.length === 1 && UNCHECKED.has(format[0] as number);
}

/** The catalogue row with the format version. */
export function formatRow(): StoredRow {
  return { key: FORMAT_KEY, value: Uint8Array.of(FORMAT) };
}

/**
 * Reads the catalogue; empty for an empty engine.
 * @throws DatabaseError `DATABASE_FORMAT`, `DATABASE_DAMAGED`
 */
export function readCatalogue(store: KeyValueStore): Catalogue {
  if (store.size().rows === 0) return { sequence: 0, tables: [] };
  const format = store.get(FORMAT_KEY)?.[0];
  if (format !== FORMAT) throw new DatabaseError("DATABASE_FORMAT", foreignFormat(format), { format });
  const counters = Buffer.from(store.get(SEQUENCE_KEY) ?? []);
  const sequence = Number(counters.readBigUInt64BE());
  const segments =
    counters.length < 16 ? undefined : { from: counters.readUInt32BE(8), to: counters.readUInt32BE(12) };
  const tables = Buffer.from(store.get(TABLES_KEY) ?? []).toString();
  return { sequence, segments, tables: tables ? tables.split("\n") : [] };
}

/** The error text for an unsupported format; a higher one can only come from a later version of the program. */
function foreignFormat(format: number | undefined): string {
  const text = `the database has format ${format ?? "none"}, this version reads ${FORMAT}`;
  const isNewer = format !== undefined && format > FORMAT;
  return isNewer
    ? `${text}: a later version wrote it; start that one, or restore a backup from before`
    : text;
}

/** Rows of the catalogue, in key order. Earlier versions read only the first 8 bytes of the sequence's row. */
export function catalogueRows({ sequence, segments, tables }: Catalogue): StoredRow[] {
  const counters = Buffer.alloc(segments ? 16 : 8);
  counters.writeBigUInt64BE(BigInt(sequence));
  if (segments) {
    counters.writeUInt32BE(segments.from, 8);
    counters.writeUInt32BE(segments.to, 12);
  }
  return [
    formatRow(),
    { key: SEQUENCE_KEY, value: counters },
    { key: TABLES_KEY, value: Buffer.from(tables.join("\n")) },
  ];
}
