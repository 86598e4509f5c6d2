import { DatabaseError } from "./errors.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";

/**
 * Version of the layout of keys, records and tables; a change of it needs a migration. Since 2 logs are found by postings;
 * the chain indexes them anew in a database of format 1.
 */
const FORMAT = 2;
const READABLE: ReadonlySet<number> = new Set([1, FORMAT]);
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

/**
 * Reads the catalogue; that of an empty engine is empty.
 * @throws DatabaseError `DATABASE_FORMAT`
 */
export function readCatalogue(store: KeyValueStore): Catalogue {
  const format = store.get(FORMAT_KEY)?.[0];
  if (format === undefined && store.size().rows === 0) return { sequence: 0, tables: [] };
  if (format === undefined || !READABLE.has(format))
    throw new DatabaseError("DATABASE_FORMAT", `database format ${format}, this version reads ${FORMAT}`, {
      format,
    });
  const sequence = Number(Buffer.from(store.get(SEQUENCE_KEY) ?? []).readBigUInt64BE());
  const tables = Buffer.from(store.get(TABLES_KEY) ?? []).toString();
  return { sequence, tables: tables ? tables.split("\n") : [] };
}

/** Rows of the catalogue, in order. */
export function catalogueRows({ sequence, tables }: Catalogue): StoredRow[] {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(sequence));
  return [
    { key: FORMAT_KEY, value: Uint8Array.of(FORMAT) },
    { key: SEQUENCE_KEY, value: counter },
    { key: TABLES_KEY, value: Buffer.from(tables.join("\n")) },
  ];
}
