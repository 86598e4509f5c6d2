/** Heights per table of records, as a power of two. */
const RANGE_BITS = 16n;

/** The range of a height. Each range has its own table, so that old records can be dropped with it. */
export function rangeOf(height: bigint): number {
  return Number(height >> RANGE_BITS);
}

/** The lowest height of a range. */
export function rangeStart(range: number): bigint {
  return BigInt(range) << RANGE_BITS;
}

/** Name of the table of a range. */
export function rangeTable(range: number): string {
  return `changes_${range}`;
}

/** The statement that creates the table of a range. */
export function rangeTableSql(range: number): string {
  return `CREATE TABLE IF NOT EXISTS ${rangeTable(range)} (
    height BIGINT PRIMARY KEY,
    epoch BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    parent_hash BYTEA NOT NULL,
    state_root BYTEA NOT NULL,
    checksum BYTEA NOT NULL,
    payload BYTEA NOT NULL,
    written TIMESTAMPTZ NOT NULL DEFAULT now()
  )`;
}
