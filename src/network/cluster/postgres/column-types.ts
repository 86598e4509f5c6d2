/** How the driver reads columns. */
export interface ColumnTypes {
  /** @returns what turns the text of a column into its value */
  getTypeParser(oid: number): (text: string) => unknown;
}

/** Numbers of PostgreSQL's own types. @see https://www.postgresql.org/docs/current/catalog-pg-type.html */
const BOOL = 16;
const BYTEA = 17;
const INT2 = 21;
const INT4 = 23;

const READERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === "t"],
  [BYTEA, bytesOf],
  [INT2, Number],
  [INT4, Number],
]);

/**
 * The types of the tables here; anything else is text, such as 64-bit numbers. The server chooses the type of each column, and the
 * driver's readers of JSON, arrays and intervals take a second and more for what an impostor may return.
 */
export const columnTypes: ColumnTypes = {
  getTypeParser: (oid) => READERS.get(oid) ?? String,
};

/** Bytes in hexadecimal, as PostgreSQL has returned them since 9.0. */
function bytesOf(text: string): Uint8Array {
  if (!text.startsWith("\\x")) throw new Error("the database returned bytes that are not hexadecimal");
  return Buffer.from(text.slice(2), "hex");
}
