import type { Chain } from "../../ledger/chain/chain.ts";
import type { LogFilter } from "../../ledger/chain/logs/log-search.ts";
import type { PostgresConnection } from "../../network/cluster/postgres/connection.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import type { LogPlaces } from "../rpc/handlers/logs/log-reader.ts";
import { SqlError } from "./errors.ts";
import { bigintOf, bytesOf } from "./query-tables.ts";

/** Rows per statement. */
const PAGE = 2_000;
/** Maximum logs per response; for more, the chain itself is searched. */
const MAX_LOGS = 200_000;
/** One in this many failures is logged. */
const LOG_EVERY = 100;
/** Maximum searches sharing the connection; further ones do not wait for it. */
const MAX_CONCURRENT = 8;
/** How long a failed database is not queried, in milliseconds: a caller should not wait for it each time. */
const BACKOFF_MS = 5_000;

/** A range of blocks, both ends included. */
interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

interface Place {
  readonly block: bigint;
  readonly index: number;
}

/**
 * Locates logs in the tables of blocks; their content comes from the chain. A result is used only if the tables end in the
 * same block as the chain.
 */
export class TableLogs {
  readonly #connection: Pick<PostgresConnection, "query" | "name">;
  readonly #chain: Pick<Chain, "hash">;
  readonly #logger: Logger;
  readonly #now: () => number;
  #failures = 0;
  #searching = 0;
  /** A failed database is not queried before this time. */
  #backoffUntil = Number.NEGATIVE_INFINITY;

  /** @param now - milliseconds, monotonic */
  constructor(
    connection: Pick<PostgresConnection, "query" | "name">,
    chain: Pick<Chain, "hash">,
    logger: Logger,
    now: () => number,
  ) {
    this.#connection = connection;
    this.#chain = chain;
    this.#logger = logger;
    this.#now = now;
  }

  /**
   * The positions of matching logs, block by block. A hostile database can return any: the logs themselves must be checked.
   * @param max - maximum number of logs; 0 = as many as can be held
   * @returns undefined if the tables cannot answer: behind, of another chain, damaged, unreachable, or too many logs
   */
  async find(filter: LogFilter, range: Range, max: number): Promise<readonly LogPlaces[] | undefined> {
    if (this.#searching >= MAX_CONCURRENT || this.#now() < this.#backoffUntil) return undefined;
    this.#searching++;
    try {
      const end = this.#chain.hash(range.to);
      return end && (await this.#collect(filter, range, end, max));
    } catch (error) {
      this.#backoffUntil = this.#now() + BACKOFF_MS;
      if (this.#failures++ % LOG_EVERY === 0)
        this.#logger.warn("logs are searched in the chain instead of the database", {
          place: this.#connection.name,
          reason: (error as Error).message,
          failures: this.#failures,
        });
      return undefined;
    } finally {
      this.#searching--;
    }
  }

  async #collect(
    filter: LogFilter,
    range: Range,
    end: Hash,
    max: number,
  ): Promise<readonly LogPlaces[] | undefined> {
    const found: { blockNumber: bigint; places: number[] }[] = [];
    let after: Place = { block: range.from, index: -1 };
    for (let count = 0; ; ) {
      const rows = await this.#page(filter, range, after, end);
      if (rows === undefined) return undefined;
      for (const row of rows) {
        check(row, range, after);
        after = row;
        if (++count > MAX_LOGS) return undefined;
        const last = found.at(-1);
        if (last?.blockNumber === row.block) last.places.push(row.index);
        else found.push({ blockNumber: row.block, places: [row.index] });
      }
      if (rows.length < PAGE || (max > 0 && count > max)) return found;
    }
  }

  /** Queried together with the hash at the end of the range, so that both are consistent; undefined if the hash differs. */
  async #page(
    filter: LogFilter,
    { to }: Range,
    after: Place,
    end: Hash,
  ): Promise<readonly Place[] | undefined> {
    const values: unknown[] = [String(to), String(after.block), after.index];
    const oneOf = (column: string, list: readonly Uint8Array[]): string => {
      const names = list.map((value) => `$${values.push(Buffer.from(value))}`);
      return ` AND l.${column} IN (${names.join(",")})`;
    };
    const conditions = [
      filter.addresses.length > 0 ? oneOf("address", filter.addresses) : "",
      ...filter.topics.map((list, i) =>
        list.length > 0 ? oneOf(`topic${i}`, list) : ` AND l.topic${i} IS NOT NULL`,
      ),
    ];
    const text = `SELECT b.hash AS end_hash, l.block_number, l.log_index
      FROM blocks b LEFT JOIN logs l
        ON l.block_number <= $1::BIGINT AND l.block_number >= $2::BIGINT
        AND (l.block_number > $2::BIGINT OR l.log_index > $3::INT)${conditions.join("")}
      WHERE b.number = $1::BIGINT ORDER BY l.block_number, l.log_index LIMIT ${PAGE}`;
    const rows = await this.#connection.query(text, values);
    const [first] = rows;
    if (first === undefined || !equalBytes(bytesOf(first["end_hash"]), end)) return undefined;
    return first["block_number"] === null ? [] : rows.map(placeOf);
  }
}

/** A filter of more topics than a log can have matches nothing, and the tables have no column for it. */
export function isAnswerable({ topics }: LogFilter): boolean {
  return topics.length <= 4;
}

function placeOf(row: Readonly<Record<string, unknown>>): Place {
  return { block: bigintOf(row["block_number"]), index: Number(bigintOf(row["log_index"])) };
}

/** @throws SqlError `SQL_DAMAGED` for a row that was not requested */
function check({ block, index }: Place, { to }: Range, after: Place): void {
  const follows = block > after.block || (block === after.block && index > after.index);
  if (!follows || block > to || index < 0)
    throw new SqlError("SQL_DAMAGED", `the database returned a log of block ${block} that was not requested`);
}
