import type { LogStart, SnapshotPart, SnapshotPlace } from "../change-log.ts";
import { ClusterError } from "../errors.ts";
import type { PostgresConnection } from "./connection.ts";
import { bounded, integerOf, viewOf } from "./rows.ts";

/** Maximum bytes of a part; one more is read, to detect a longer one. */
const MOST = 4 << 20;
/** Maximum characters read of a file name. */
const NAME = 65;
/** Parts removed per statement. */
const REMOVED = 16;

/** The statements on the table of snapshots. */
export class SnapshotTable {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** The newest complete snapshot. */
  async newest(): Promise<SnapshotPlace | undefined> {
    const [row] = await this.#connection.query<{ height: string; parts: number; hash: Buffer }>(
      `SELECT height, parts, ${bounded("hash")} AS hash FROM snapshots GROUP BY height, parts, hash HAVING COUNT(*) = parts
       ORDER BY height DESC LIMIT 1`,
    );
    return row && { height: integerOf(row.height), parts: Number(row.parts), hash: viewOf(row.hash) };
  }

  /** One part. @throws ClusterError `LOG_INCONSISTENT` if it is missing */
  async part(height: bigint, part: number): Promise<SnapshotPart> {
    const [row] = await this.#connection.query<
      SnapshotPart & { readonly sha256: Buffer; readonly bytes: Buffer }
    >(
      `SELECT part, parts, SUBSTRING(file FROM 1 FOR ${NAME}) AS file, ${bounded("sha256")} AS sha256,
         SUBSTRING(bytes FROM 1 FOR ${MOST + 1}) AS bytes FROM snapshots WHERE height = $1 AND part = $2`,
      [height, part],
      { bytes: 2 * MOST + 4_096, rows: 1 },
    );
    if (row) {
      const { part: number, parts, file, sha256, bytes } = row;
      return { part: number, parts, file: String(file), sha256: viewOf(sha256), bytes: viewOf(bytes) };
    }
    const text = `${this.#connection.name}: part ${part} of the snapshot of block ${height} is gone`;
    throw new ClusterError("LOG_INCONSISTENT", text, { height, part });
  }

  /** Adds a part; the first one removes leftovers of an earlier attempt. @returns false if fenced, or if the part exists */
  async add(epoch: bigint, { height, hash }: LogStart, part: SnapshotPart): Promise<boolean> {
    if (part.part === 0)
      await this.#remove(
        `height = $1 AND EXISTS (SELECT 1 FROM lease WHERE id = 1 AND epoch = $2)`,
        height,
        epoch,
      );
    const { count } = await this.#connection.run(
      `INSERT INTO snapshots (height, part, parts, hash, file, sha256, bytes)
       SELECT $2::BIGINT, $3::INT, $4::INT, $5::BYTEA, $6::TEXT, $7::BYTEA, $8::BYTEA FROM lease WHERE id = 1 AND epoch = $1
       ON CONFLICT (height, part) DO NOTHING`,
      [epoch, height, part.part, part.parts, hash, part.file, part.sha256, part.bytes],
    );
    return count > 0;
  }

  /** Removes snapshots of removed blocks. */
  async removeAbove(height: bigint): Promise<void> {
    await this.#remove(`height > $1`, height);
  }

  /** Removes parts in small batches: each has megabytes, and statements have a timeout. */
  async #remove(condition: string, ...values: readonly bigint[]): Promise<void> {
    for (let count = REMOVED; count >= REMOVED; )
      ({ count } = await this.#connection.run(
        `DELETE FROM snapshots WHERE (height, part) IN (SELECT height, part FROM snapshots WHERE ${condition} LIMIT ${REMOVED})`,
        values,
      ));
  }

  /** Removes all but the newest complete snapshots. @param kept - how many to keep */
  async prune(kept: number): Promise<void> {
    const whole = await this.#connection.query<{ readonly height: string }>(
      `SELECT height FROM snapshots GROUP BY height, parts HAVING COUNT(*) = parts ORDER BY height DESC LIMIT $1`,
      [kept],
    );
    const oldest = whole.at(-1);
    if (oldest !== undefined) await this.#remove(`height < $1`, integerOf(oldest.height));
  }
}
