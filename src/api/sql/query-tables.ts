import type { PostgresConnection, Statements } from "../../network/cluster/postgres/connection.ts";
import { migrate } from "../../network/cluster/postgres/migrations.ts";
import { equalBytes, type Hash, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { type Cell, COLUMNS, type QueryTable, type TableRows } from "./block-rows.ts";
import { SqlError } from "./errors.ts";

/** The newest block that the tables hold. */
export interface TablePosition {
  /** -1 before the first. */
  readonly height: bigint;
  readonly hash: Hash;
}

/** The chain that the tables hold. */
export interface TableChain {
  readonly genesisHash: Hash;
  readonly chainId: bigint;
}

/** Rows per statement: PostgreSQL permits 65,535 parameters. */
const MAX_PARAMETERS = 20_000;
/** Size of a statement in bytes beyond which no row is added: PostgreSQL permits 1 GiB, and the driver copies it. */
const MAX_BYTES = 4 * 1024 * 1024;
const TABLES = Object.keys(COLUMNS) as QueryTable[];
/** Hashes read at once to find where two chains diverge. */
const STEP = 256;

/** The statements over the tables of blocks; each change is one transaction that also advances `query_state`. */
export class QueryTables {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** Address of the database, without the password. */
  get place(): string {
    return this.#connection.name;
  }

  /**
   * Creates the tables if they are missing.
   * @throws SqlError `SQL_OTHER_CHAIN`; ClusterError for problems of the database
   */
  async prepare({ genesisHash, chainId }: TableChain): Promise<TablePosition> {
    await migrate(this.#connection);
    await this.#connection.query(
      "INSERT INTO query_state (id, genesis, chain_id, height, hash) VALUES (1, $1, $2, -1, $3) ON CONFLICT (id) DO NOTHING",
      [genesisHash, String(chainId), ZERO_HASH],
    );
    const [row] = await this.#connection.query<{ genesis: unknown; chain_id: unknown }>(
      "SELECT genesis, chain_id FROM query_state WHERE id = 1",
    );
    if (!equalBytes(bytesOf(row?.genesis), genesisHash) || String(row?.chain_id) !== String(chainId))
      throw new SqlError("SQL_OTHER_CHAIN", `the tables of ${this.place} hold another chain`);
    return this.position();
  }

  async position(): Promise<TablePosition> {
    const [row] = await this.#connection.query<{ height: unknown; hash: unknown }>(
      "SELECT height, hash FROM query_state WHERE id = 1",
    );
    if (row === undefined) throw new SqlError("SQL_DAMAGED", `${this.place}: query_state has no row`);
    return { height: bigintOf(row.height), hash: bytesOf(row.hash) };
  }

  /**
   * Adds blocks after a position, in one transaction.
   * @param pieces - begins to list their rows; each piece may be reused once the next is asked for
   * @throws SqlError `SQL_MOVED` if the tables are at another position by now
   */
  async append(
    before: TablePosition,
    pieces: () => AsyncIterable<TableRows>,
    after: TablePosition,
  ): Promise<void> {
    await this.#connection.transaction(async (run) => {
      await move(run, before, after);
      for await (const rows of pieces())
        for (const table of TABLES) for (const part of parts(rows[table])) await insert(run, table, part);
    });
  }

  /** Removes the blocks above a position. @throws SqlError `SQL_MOVED` */
  async truncate(before: TablePosition, after: TablePosition): Promise<void> {
    await this.#connection.transaction(async (run) => {
      await move(run, before, after);
      for (const table of TABLES) {
        const column = table === "blocks" ? "number" : "block_number";
        await run(`DELETE FROM ${table} WHERE ${column} > $1`, [String(after.height)]);
      }
    });
  }

  /**
   * The newest block up to a height that a chain has too; -1 if there is none.
   * @param hashOf - of that chain
   */
  async commonWith(hashOf: (number: bigint) => Hash | undefined, height: bigint): Promise<TablePosition> {
    for (let top = height; top >= 0n; ) {
      const rows = await this.#connection.query<{ number: unknown; hash: unknown }>(
        `SELECT number, hash FROM blocks WHERE number <= $1 ORDER BY number DESC LIMIT ${STEP}`,
        [String(top)],
      );
      for (const row of rows) {
        const [number, hash] = [bigintOf(row.number), bytesOf(row.hash)];
        const ours = hashOf(number);
        if (ours !== undefined && equalBytes(ours, hash)) return { height: number, hash };
        top = number - 1n;
      }
      if (rows.length < STEP) break;
    }
    return { height: -1n, hash: ZERO_HASH };
  }
}

async function move(run: Statements, before: TablePosition, after: TablePosition): Promise<void> {
  const moved = await run(
    "UPDATE query_state SET height = $1, hash = $2 WHERE id = 1 AND height = $3 AND hash = $4 RETURNING id",
    [String(after.height), after.hash, String(before.height), before.hash],
  );
  if (moved.length === 0)
    throw new SqlError(
      "SQL_MOVED",
      `the tables are not at block ${before.height} any more: another node fills them`,
    );
}

function insert(run: Statements, table: QueryTable, rows: readonly (readonly Cell[])[]): Promise<unknown> {
  const columns = COLUMNS[table].split(" ");
  const values = rows.map((row, r) => `(${row.map((_, c) => `$${r * columns.length + c + 1}`).join(",")})`);
  return run(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values.join(",")}`,
    rows.flat().map(parameter),
  );
}

function* parts(rows: readonly Cell[][]): Generator<readonly Cell[][]> {
  const max = Math.floor(MAX_PARAMETERS / (rows[0]?.length ?? 1));
  for (let at = 0, end = 0, bytes = 0; at < rows.length; at = end, bytes = 0) {
    while (end < rows.length && end - at < max && bytes < MAX_BYTES) bytes += bytesIn(rows[end++] as Cell[]);
    yield rows.slice(at, end);
  }
}

function bytesIn(row: readonly Cell[]): number {
  return row.reduce<number>((sum, cell) => sum + (typeof cell === "object" ? (cell?.length ?? 0) : 8), 0);
}

/** A view as a `Buffer`: of a `Uint8Array` that is part of a larger memory, the driver would send the whole memory. */
function parameter(cell: Cell): unknown {
  return cell instanceof Uint8Array ? Buffer.from(cell.buffer, cell.byteOffset, cell.length) : cell;
}

/** @throws SqlError `SQL_DAMAGED` */
export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new SqlError("SQL_DAMAGED", "the database did not return bytes");
}

/** @throws SqlError `SQL_DAMAGED` */
export function bigintOf(value: unknown): bigint {
  if ((typeof value === "string" || typeof value === "number") && /^-?[0-9]{1,19}$/.test(String(value)))
    return BigInt(value);
  throw new SqlError("SQL_DAMAGED", "the database did not return a number");
}
