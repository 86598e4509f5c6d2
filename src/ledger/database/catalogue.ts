import { DatabaseError } from "./errors.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";

/**
 * Version of the layout of keys, records and tables; a change of it needs a migration. Since 2 logs are found by postings;
 * the chain reindexes a database of format 1. Since 3 rows have checksums, which are added when an older one
 * is opened.
 */
const FORMAT = 3;
/** Formats whose rows have no checksums. */
const UNCHECKED: ReadonlySet<number> = new Set([1, 2]);
/** Tables have the prefix bytes from 1 on; these rows have 0. */
const FORMAT_KEY = Buffer.from("\0format");
const SEQUENCE_KEY = Buffer.from("\0sequence");
const TABLES_KEY = Buffer.from("\0tables");

/** What the engine knows about itself. */
export interface Catalogue {
  /** Records of the log that the engine has. */
  readonly sequence: number;
  /** Names of the tables; the first has prefix byte 1. */
  readonly tables: readonly string[];
}

/** Whether an engine has rows of an earlier format, without checksums: even its format is without one. */
export function hasUncheckedRows(store: KeyValueStore): boolean {
  const format = store.get(FORMAT_KEY);
  return format?.length === 1 && UNCHECKED.has(format[0] as number);
}

/** The catalogue's row of the format. */
export function formatRow(): StoredRow {
  return { key: FORMAT_KEY, value: Uint8Array.of(FORMAT) };
}

/**
 * Reads the catalogue; that of an empty engine is empty.
 * @throws DatabaseError `DATABASE_FORMAT`, `DATABASE_DAMAGED`
 */
export function readCatalogue(store: KeyValueStore): Catalogue {
  if (store.size().rows === 0) return { sequence: 0, tables: [] };
  const format = store.get(FORMAT_KEY)?.[0];
  if (format !== FORMAT) throw new DatabaseError("DATABASE_FORMAT", foreignFormat(format), { format });
  const sequence = Number(Buffer.from(store.get(SEQUENCE_KEY) ?? []).readBigUInt64BE());
  const tables = Buffer.from(store.get(TABLES_KEY) ?? []).toString();
  return { sequence, tables: tables ? tables.split("\n") : [] };
}

/** What to do about a format that is not read here: only later versions of the program write a higher one. */
function foreignFormat(format: number | undefined): string {
  const text = `the database has format ${format ?? "none"}, this version reads ${FORMAT}`;
  const isNewer = format !== undefined && format > FORMAT;
  return isNewer
    ? `${text}: a later version wrote it; start that one, or restore a backup from before`
    : text;
}

/** Rows of the catalogue, in order. */
export function catalogueRows({ sequence, tables }: Catalogue): StoredRow[] {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(sequence));
  return [
    formatRow(),
    { key: SEQUENCE_KEY, value: counter },
    { key: TABLES_KEY, value: Buffer.from(tables.join("\n")) },
  ];
}
