// One class with all statements on records and lease, so that the fencing of writers can be reviewed in one place.
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type {
  Candidate,
  ChangeLog,
  ChangeRecord,
  LogChain,
  LogStart,
  LogState,
  NewRecord,
  RecordLimits,
  SnapshotPart,
  SnapshotPlace,
} from "../change-log.ts";
import { ClusterError } from "../errors.ts";
import { type ConnectionOptions, PostgresConnection } from "./connection.ts";
import { checkSchema, migrate } from "./migrations.ts";
import { rangeOf, rangeStart, rangeTable, rangeTableSql } from "./ranges.ts";
import {
  bounded,
  bytesOf,
  type Cells,
  integerOf,
  LEASE_COLUMNS,
  type LeaseRow,
  recordOf,
  recordRows,
  stateOf,
  viewOf,
} from "./rows.ts";
import { SnapshotTable } from "./snapshot-table.ts";

/** Format of the records; others are rejected. */
const FORMAT = 2;
/** Maximum bytes on the wire of a row without its payload, mostly for the lease's URL. */
const ROW_BYTES = 8 << 10;
/** Maximum bytes on the wire per byte of payload: Base64 with line breaks. */
const ENCODED = 1.4;
/** Records removed per statement of a truncation. */
const TRUNCATED_PER_STATEMENT = 1_024n;
/** SQLSTATEs of a missing table, a duplicate key, and a number beyond 64 bits. */
const UNDEFINED_TABLE = "42P01";
const UNIQUE_VIOLATION = "23505";
const OUT_OF_RANGE = "22003";

/**
 * A change log in a database with the PostgreSQL protocol. The lease has its own connection, so that it can be renewed while a large record
 * is in flight.
 */
export class PostgresChangeLog implements ChangeLog {
  readonly #records: PostgresConnection;
  readonly #lease: PostgresConnection;
  readonly #snapshots: SnapshotTable;
  /** Ranges whose tables are known to exist. */
  readonly #created = new Set<number>();

  constructor(options: ConnectionOptions) {
    this.#records = new PostgresConnection(options);
    this.#lease = new PostgresConnection(options);
    this.#snapshots = new SnapshotTable(this.#records);
  }

  /** Its address, without a password. */
  get name(): string {
    return this.#records.name;
  }

  async prepare(chain: LogChain, start: LogStart): Promise<LogState> {
    await migrate(this.#records);
    await this.#records.query(
      `INSERT INTO chain (id, genesis, chain_id, format) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO NOTHING`,
      [chain.genesisHash, chain.chainId, FORMAT],
    );
    await this.#checkChain(chain);
    await this.#records.query(
      `INSERT INTO lease (id, epoch, holder, url, until, height, hash, first)
       VALUES (1, 0, '', '', now(), $1, $2, $3) ON CONFLICT (id) DO NOTHING`,
      [start.height, start.hash, start.height + 1n],
    );
    return this.state();
  }

  async open(chain: Partial<LogChain> = {}): Promise<LogState> {
    await checkSchema(this.#records);
    await this.#checkChain(chain);
    return this.state();
  }

  async state(): Promise<LogState> {
    const [row] = await this.#records.query<LeaseRow>(`SELECT ${LEASE_COLUMNS} FROM lease l WHERE id = 1`);
    return this.#stateOf(row);
  }

  async acquire({ holder, url, ttlMs, overdue = "" }: Candidate): Promise<LogState | undefined> {
    const { height } = await this.state();
    const newest = await this.#row<{ readonly epoch: string }>(`epoch`, height);
    try {
      const [row] = await this.#lease.query<LeaseRow>(
        `UPDATE lease AS l SET epoch = GREATEST(epoch, $5) + 1, holder = $1, url = $2, until = now() + $3 * INTERVAL '1 millisecond'
         WHERE id = 1 AND (until <= now() OR holder = $1 OR until::TEXT = $4) RETURNING ${LEASE_COLUMNS}`,
        [holder, url, ttlMs, overdue, newest?.epoch ?? 0],
      );
      return row && this.#stateOf(row);
    } catch (error) {
      if (!isState(error, OUT_OF_RANGE)) throw error;
      const text = `${this.name}: there is no greater epoch than that of the lease or of the newest record: was it edited by hand?`;
      throw new ClusterError("LOG_INCONSISTENT", text);
    }
  }

  async renew(epoch: bigint, ttlMs: number): Promise<void> {
    const { count } = await this.#lease.run(
      `UPDATE lease SET until = now() + $2 * INTERVAL '1 millisecond' WHERE id = 1 AND epoch = $1`,
      [epoch, ttlMs],
    );
    if (count === 0) await this.#fenced(epoch);
  }

  async release(epoch: bigint): Promise<void> {
    await this.#lease.query(`UPDATE lease SET until = now() WHERE id = 1 AND epoch = $1`, [epoch]);
  }

  async append(epoch: bigint, records: readonly NewRecord[]): Promise<void> {
    for (let from = 0; from < records.length; ) {
      const range = rangeOf((records[from] as NewRecord).height);
      const end = records.findIndex(({ height }, i) => i > from && rangeOf(height) !== range);
      const until = end === -1 ? records.length : end;
      await this.#appendWithin(epoch, range, records.slice(from, until));
      from = until;
    }
  }

  async truncate(epoch: bigint, { height, hash }: LogStart): Promise<void> {
    const before = await this.state();
    if (before.height < height) return;
    const kept = height >= before.first ? await this.hashAt(height) : undefined;
    if (kept !== undefined && !equalBytes(kept, hash))
      throw new ClusterError("LOG_INCONSISTENT", `${this.name}: block ${height} of the log is another one`);
    for (let from = before.height; from > height; ) {
      const to = stepBack(from, height, before.first);
      const at = to === height ? hash : await this.hashAt(to);
      if (at === undefined)
        throw new ClusterError("LOG_INCONSISTENT", `${this.name}: the record of block ${to} is gone`);
      if (!(await this.#truncateStep(epoch, from, { height: to, hash: at })))
        return this.#refused(epoch, from);
      from = to;
    }
    await this.#snapshots.removeAbove(height);
  }

  /** Moves the head back and removes the records above it, within one table. @returns false if fenced, or if the head has moved */
  async #truncateStep(epoch: bigint, from: bigint, { height, hash }: LogStart): Promise<boolean> {
    const head = `UPDATE lease SET height = $2::BIGINT, hash = $3, first = LEAST(first, $2::BIGINT + 1)
      WHERE id = 1 AND epoch = $1 AND height = $4 RETURNING epoch`;
    const values = [epoch, height, hash, from];
    try {
      const rows = await this.#records.query(
        `WITH fence AS (${head}), gone AS (
           DELETE FROM ${rangeTable(rangeOf(from))} WHERE height > $2 AND EXISTS (SELECT 1 FROM fence)
         )
         SELECT epoch FROM fence`,
        values,
      );
      return rows.length > 0;
    } catch (error) {
      if (!isState(error, UNDEFINED_TABLE)) throw error;
      return (await this.#records.query(head, values)).length > 0; // no records to remove
    }
  }

  async read(
    after: bigint,
    { records, bytes, largest }: RecordLimits,
  ): Promise<{ readonly state: LogState; readonly records: readonly ChangeRecord[] }> {
    // Usually nothing is new: this query takes less than half of the database's time.
    const seen = await this.state();
    if (seen.height <= after) return { state: seen, records: [] };
    const range = rangeOf(after + 1n);
    try {
      const rows = await this.#records.query<LeaseRow & Cells>(
        `SELECT ${LEASE_COLUMNS}, c.height AS at, c.epoch AS of_epoch, ${bounded("c.hash")} AS block_hash,
           ${bounded("c.parent_hash")} AS parent_hash, ${bounded("c.state_root")} AS state_root,
           ${bounded("c.checksum")} AS checksum, c.size, CASE WHEN c.size <= $4 THEN encode(c.payload, 'base64') END AS payload
         FROM lease l LEFT JOIN (
           SELECT r.*, octet_length(payload) AS size, SUM(octet_length(payload)) OVER (ORDER BY height) AS total
           FROM ${rangeTable(range)} r WHERE height > $1 AND height <= $2
         ) c ON c.height <= l.height AND (c.total <= $3 OR c.height = $1 + 1)
         WHERE l.id = 1 ORDER BY c.height`,
        [after, after + BigInt(records), bytes, Math.min(bytes, largest)],
        { bytes: ENCODED * bytes + (records + 1) * ROW_BYTES, rows: records + 1 },
      );
      const state = this.#stateOf(rows[0]);
      const found: ChangeRecord[] = [];
      for (const row of rows) {
        const record = await recordOf(row);
        if (record === undefined) continue;
        const isLong = record.size > bytes && record.size <= largest;
        const payload = isLong ? await this.#longPayload(record, bytes) : record.payload;
        if (isLong && payload === undefined) break;
        found.push({ ...record, payload });
      }
      return { state, records: found };
    } catch (error) {
      if (!isState(error, UNDEFINED_TABLE)) throw error;
      return { state: seen, records: [] };
    }
  }

  /**
   * The payload of a record in parts, since the driver holds each response twice, as bytes and as text.
   * @param part - bytes
   * @returns undefined if the record has been replaced meanwhile
   */
  async #longPayload(
    { height, checksum, size }: ChangeRecord,
    part: number,
  ): Promise<Uint8Array | undefined> {
    const payload = new Uint8Array(size);
    for (let at = 0; at < size; at += part) {
      const [row] = await this.#records.query<{ readonly bytes: string }>(
        `SELECT encode(SUBSTRING(payload FROM $2 FOR $3), 'base64') AS bytes FROM ${rangeTable(rangeOf(height))}
         WHERE height = $1 AND checksum = $4 AND octet_length(payload) = $5`,
        [height, at + 1, part, checksum, size],
        { bytes: ENCODED * part + ROW_BYTES, rows: 1 },
      );
      if (row === undefined) return undefined;
      payload.set((await bytesOf(row.bytes)).subarray(0, size - at), at);
    }
    return payload;
  }

  async hashAt(height: bigint): Promise<Hash | undefined> {
    const row = await this.#row<{ readonly hash: Buffer }>(`${bounded("hash")} AS hash`, height);
    return row && viewOf(row.hash);
  }

  async hasStray(): Promise<boolean> {
    const { height } = await this.state();
    try {
      const rows = await this.#records.query(
        `SELECT r.height FROM lease l JOIN ${rangeTable(rangeOf(height + 1n))} r ON r.height > l.height WHERE l.id = 1 LIMIT 1`,
      );
      return rows.length > 0;
    } catch (error) {
      if (isState(error, UNDEFINED_TABLE)) return false;
      throw error;
    }
  }

  /** Columns of the record at a height; undefined if there is none. */
  async #row<Row>(columns: string, height: bigint): Promise<Row | undefined> {
    try {
      const [row] = await this.#records.query<Row>(
        `SELECT ${columns} FROM ${rangeTable(rangeOf(height))} WHERE height = $1`,
        [height],
      );
      return row;
    } catch (error) {
      if (isState(error, UNDEFINED_TABLE)) return undefined;
      throw error;
    }
  }

  snapshot(): Promise<SnapshotPlace | undefined> {
    return this.#snapshots.newest();
  }

  snapshotPart(height: bigint, part: number): Promise<SnapshotPart> {
    return this.#snapshots.part(height, part);
  }

  async addSnapshotPart(epoch: bigint, after: LogStart, part: SnapshotPart): Promise<void> {
    if (await this.#snapshots.add(epoch, after, part)) return;
    const state = await this.state();
    if (state.epoch !== epoch) throw this.#over(epoch, state);
    throw new ClusterError(
      "LOG_BUSY",
      `${this.name}: another snapshot of block ${after.height} is being made`,
    );
  }

  async prune(epoch: bigint, below: bigint, snapshots: number): Promise<void> {
    await this.#snapshots.prune(snapshots);
    const { first, height } = await this.state();
    const last = rangeOf(below < height ? below : height);
    if (last <= rangeOf(first)) return;
    const { count } = await this.#records.run(
      `UPDATE lease SET first = $2 WHERE id = 1 AND epoch = $1 AND first < $2`,
      [epoch, rangeStart(last)],
    );
    if (count === 0) return this.#fenced(epoch);
    for (let range = rangeOf(first); range < last; range++)
      await this.#records.query(`DROP TABLE IF EXISTS ${rangeTable(range)}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#records.close(), this.#lease.close()]);
  }

  async #appendWithin(epoch: bigint, range: number, records: readonly NewRecord[]): Promise<void> {
    await this.#createRange(range);
    const [first, last] = [records[0] as NewRecord, records.at(-1) as NewRecord];
    const { text, values } = recordRows(records, 6);
    const { count } = await this.#records
      .run(
        `WITH fence AS (
           UPDATE lease SET height = $2, hash = $3 WHERE id = 1 AND epoch = $1 AND height = $4 AND hash = $5 RETURNING epoch
         )
         INSERT INTO ${rangeTable(range)} (epoch, height, hash, parent_hash, state_root, checksum, payload)
         SELECT fence.epoch, v.* FROM fence, (VALUES ${text}) AS v (height, hash, parent_hash, state_root, checksum, payload)`,
        [epoch, last.height, last.hash, first.height - 1n, first.parentHash, ...values],
      )
      .catch((error) => {
        if (!isState(error, UNIQUE_VIOLATION)) throw error;
        const text = `${this.name}: the log has records above block ${first.height - 1n}, its newest by the lease: was its lease edited by hand?`;
        throw new ClusterError("LOG_INCONSISTENT", text, { height: first.height });
      });
    if (count === 0) await this.#resolveAppend(epoch, range, records);
  }

  /** Resolves an append that changed nothing: it was already done, entirely or in part, or it is not permitted. */
  async #resolveAppend(epoch: bigint, range: number, records: readonly NewRecord[]): Promise<void> {
    const state = await this.state();
    if (state.epoch !== epoch) throw this.#over(epoch, state);
    const first = (records[0] as NewRecord).height;
    const done = records.findLast(({ height }) => height <= state.height);
    // Pruned records were once in the log.
    const isPast = done !== undefined && done.height < state.first;
    const isDone =
      isPast || (done && equalBytes((await this.hashAt(done.height)) ?? new Uint8Array(), done.hash));
    if (!isDone) return this.#refused(epoch, first - 1n);
    const rest = records.slice(records.indexOf(done) + 1);
    if (rest.length > 0) await this.#appendWithin(epoch, range, rest);
  }

  async #createRange(range: number): Promise<void> {
    if (this.#created.has(range)) return;
    await this.#records.query(rangeTableSql(range));
    this.#created.add(range);
  }

  /** @throws ClusterError */
  async #checkChain({ genesisHash, chainId }: Partial<LogChain>): Promise<void> {
    const [row] = await this.#records.query<{ genesis: Buffer; chain_id: string; format: number }>(
      `SELECT genesis, chain_id, format FROM chain WHERE id = 1`,
    );
    if (row === undefined)
      throw new ClusterError("LOG_SCHEMA", `${this.name} names no chain yet: start the writer first`);
    if (row.format !== FORMAT) {
      const text = `${this.name} has records of form ${row.format} and this program knows ${FORMAT}`;
      throw new ClusterError("LOG_SCHEMA", text, { format: row.format });
    }
    // Two chains may share a genesis block.
    const isOther =
      (genesisHash !== undefined && !equalBytes(viewOf(row.genesis), genesisHash)) ||
      (chainId !== undefined && integerOf(row.chain_id) !== chainId);
    if (!isOther) return;
    const its = `${bytesToHex(row.genesis)} (chain ${row.chain_id})`;
    const own = `${genesisHash ? bytesToHex(genesisHash) : "any"}${chainId === undefined ? "" : ` (chain ${chainId})`}`;
    const text = `${this.name} carries another chain: its genesis is ${its}, and this node's is ${own}`;
    throw new ClusterError("LOG_OTHER_CHAIN", text, { its, own });
  }

  #stateOf(row: LeaseRow | undefined): LogState {
    if (row !== undefined) return stateOf(row);
    throw new ClusterError("LOG_INCONSISTENT", `${this.name}: the row of the lease is gone`);
  }

  async #fenced(epoch: bigint): Promise<never> {
    throw this.#over(epoch, await this.state());
  }

  #over(epoch: bigint, { epoch: now, holder }: LogState): ClusterError {
    const text = `this node is no longer the writer (epoch ${epoch}): ${holder || "nobody"} has epoch ${now}`;
    return new ClusterError("LOG_FENCED", text, { epoch, now, holder });
  }

  /** @throws the reason why a change of the head was refused */
  async #refused(epoch: bigint, expected: bigint): Promise<never> {
    const state = await this.state();
    if (state.epoch !== epoch) throw this.#over(epoch, state);
    const at = `block ${state.height} ${bytesToHex(state.hash)}`;
    const text =
      `${this.name}: the log says that it ends with ${at}, but this writer's last record is of block ${expected}: was ` +
      "its lease edited by hand?";
    throw new ClusterError("LOG_INCONSISTENT", text, { height: state.height, expected });
  }
}

/** The next head of a stepwise truncation: within one table, and at an existing record. */
function stepBack(from: bigint, height: bigint, first: bigint): bigint {
  const below = rangeStart(rangeOf(from)) - 1n;
  const short = from - TRUNCATED_PER_STATEMENT > below ? from - TRUNCATED_PER_STATEMENT : below;
  return short > height && short >= first ? short : height;
}

/** Whether an error has an SQLSTATE. */
function isState(error: unknown, state: string): boolean {
  return error instanceof ClusterError && error.details["state"] === state;
}
