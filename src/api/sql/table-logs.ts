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
/** Maximum logs per answer; for more the chain itself is searched. */
const MOST_LOGS = 200_000;
/** One in this many failures is logged. */
const TELL_EVERY = 100;
/** Searches that may share the connection; further ones do not wait for it. */
const MOST_AT_ONCE = 8;
/** How long a failed database is not queried, in milliseconds: a caller should not wait for it each time. */
const REST_MS = 5_000;

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
 * Locates logs in the tables of blocks; their content comes from the chain. An answer of the tables is used only if they end in
 * the same block as the chain.
 */
export class TableLogs {
  readonly #connection: Pick<PostgresConnection, "query" | "name">;
  readonly #chain: Pick<Chain, "hash">;
  readonly #logger: Logger;
  readonly #now: () => number;
  #failures = 0;
  #searching = 0;
  /** Until then a failed database is not queried. */
  #restUntil = Number.NEGATIVE_INFINITY;

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
   * The places of the matching logs, block by block. A hostile database can name any: the logs themselves must be checked.
   * @param most - maximum number of logs to look for; 0 = as many as may be held
   * @returns undefined if the tables cannot answer: behind, of another chain, damaged, unreachable, or too many logs
   */
  async find(filter: LogFilter, range: Range, most: number): Promise<readonly LogPlaces[] | undefined> {
    if (this.#searching >= MOST_AT_ONCE || this.#now() < this.#restUntil) return undefined;
    this.#searching++;
    try {
      const end = this.#chain.hash(range.to);
      return end && (await this.#collect(filter, range, end, most));
    } catch (error) {
      this.#restUntil = this.#now() + REST_MS;
      if (this.#failures++ % TELL_EVERY === 0)
        this.#logger.warn("logs are not read from the database but from the chain", {
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
    most: number,
  ): Promise<readonly LogPlaces[] | undefined> {
    const found: { blockNumber: bigint; places: number[] }[] = [];
    let after: Place = { block: range.from, index: -1 };
    for (let count = 0; ; ) {
      const rows = await this.#page(filter, range, after, end);
      if (rows === undefined) return undefined;
      for (const row of rows) {
        check(row, range, after);
        after = row;
        if (++count > MOST_LOGS) return undefined;
        const last = found.at(-1);
        if (last?.blockNumber === row.block) last.places.push(row.index);
        else found.push({ blockNumber: row.block, places: [row.index] });
      }
      if (rows.length < PAGE || (most > 0 && count > most)) return found;
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
    throw new SqlError("SQL_DAMAGED", `the database answered a log of block ${block} that was not asked for`);
}
