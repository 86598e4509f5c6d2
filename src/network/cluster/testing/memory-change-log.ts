import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
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

interface StoredSnapshot extends LogStart {
  readonly parts: Map<number, SnapshotPart>;
}

/** A change log in memory, for tests; it follows the same rules as the one in a database. */
export class MemoryChangeLog implements ChangeLog {
  readonly #now: () => number;
  readonly #records = new Map<bigint, ChangeRecord>();
  readonly #snapshots = new Map<bigint, StoredSnapshot>();
  #chain: LogChain | undefined;
  #lease: Omit<LogState, "leftMs" | "until" | "hash"> & { hash: Hash; untilMs: number } = {
    ...{ epoch: 0n, holder: "", url: "", untilMs: 0 },
    ...{ height: 0n, hash: new Uint8Array(32), first: 1n },
  };
  /** While set, every method throws it, as with an unreachable database. */
  failure: ClusterError | undefined;

  /** @param now - milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  async prepare(chain: LogChain, start: LogStart): Promise<LogState> {
    this.#check();
    if (this.#chain === undefined) {
      this.#chain = chain;
      this.#lease = { ...this.#lease, height: start.height, hash: start.hash, first: start.height + 1n };
    }
    return this.open(chain);
  }

  async open(wanted: Partial<LogChain> = {}): Promise<LogState> {
    this.#check();
    if (this.#chain === undefined) throw new ClusterError("LOG_SCHEMA", "the log names no chain yet");
    const { genesisHash, chainId } = this.#chain;
    const isOther =
      (wanted.genesisHash && !equalBytes(wanted.genesisHash, genesisHash)) ||
      (wanted.chainId !== undefined && wanted.chainId !== chainId);
    if (isOther) throw new ClusterError("LOG_OTHER_CHAIN", "the log carries another chain");
    return this.state();
  }

  async state(): Promise<LogState> {
    this.#check();
    const { untilMs, ...rest } = this.#lease;
    return { ...rest, leftMs: untilMs - this.#now(), until: String(untilMs) };
  }

  async acquire({ holder, url, ttlMs, overdue }: Candidate): Promise<LogState | undefined> {
    this.#check();
    const { epoch, untilMs } = this.#lease;
    const isOver = untilMs <= this.#now() || String(untilMs) === overdue;
    if (!isOver && this.#lease.holder !== holder) return undefined;
    const newest = this.#records.get(this.#lease.height)?.epoch ?? 0n;
    this.#lease = {
      ...this.#lease,
      epoch: (newest > epoch ? newest : epoch) + 1n,
      holder,
      url,
      untilMs: this.#now() + ttlMs,
    };
    return this.state();
  }

  async renew(epoch: bigint, ttlMs: number): Promise<void> {
    this.#fence(epoch);
    this.#lease.untilMs = this.#now() + ttlMs;
  }

  async release(epoch: bigint): Promise<void> {
    this.#check();
    if (epoch === this.#lease.epoch) this.#lease.untilMs = this.#now();
  }

  async append(epoch: bigint, records: readonly NewRecord[]): Promise<void> {
    this.#fence(epoch);
    const fresh = records.filter(({ height, hash }) => !this.#has(height, hash));
    let { height, hash } = this.#lease;
    for (const record of fresh) {
      if (record.height !== height + 1n || !equalBytes(record.parentHash, hash))
        throw new ClusterError("LOG_INCONSISTENT", `record ${record.height} does not follow ${height}`);
      ({ height, hash } = record);
    }
    for (const record of fresh)
      this.#records.set(record.height, { ...record, epoch, size: record.payload.length });
    Object.assign(this.#lease, { height, hash });
  }

  async truncate(epoch: bigint, to: LogStart): Promise<void> {
    this.#fence(epoch);
    if (this.#lease.height <= to.height) return;
    for (const rows of [this.#records, this.#snapshots])
      for (const height of rows.keys()) if (height > to.height) rows.delete(height);
    Object.assign(this.#lease, { height: to.height, hash: to.hash });
  }

  async read(
    after: bigint,
    limits: RecordLimits,
  ): Promise<{ readonly state: LogState; readonly records: readonly ChangeRecord[] }> {
    const state = await this.state();
    const records: ChangeRecord[] = [];
    let bytes = 0;
    for (let height = after + 1n; height <= state.height && records.length < limits.records; height++) {
      const record = this.#records.get(height);
      if (record === undefined) break;
      bytes += record.size;
      if (bytes > limits.bytes && records.length > 0) break;
      records.push(record.size > limits.largest ? { ...record, payload: undefined } : record);
    }
    return { state, records };
  }

  async hashAt(height: bigint): Promise<Hash | undefined> {
    this.#check();
    return this.#records.get(height)?.hash;
  }

  async hasStray(): Promise<boolean> {
    this.#check();
    return this.#records.has(this.#lease.height + 1n);
  }

  async snapshot(): Promise<SnapshotPlace | undefined> {
    this.#check();
    const whole = [...this.#snapshots.values()].filter(
      ({ parts }) => parts.size === parts.values().next().value?.parts,
    );
    const newest = whole.toSorted((a, b) => Number(b.height - a.height))[0];
    return newest && { height: newest.height, hash: newest.hash, parts: newest.parts.size };
  }

  async snapshotPart(height: bigint, part: number): Promise<SnapshotPart> {
    this.#check();
    const found = this.#snapshots.get(height)?.parts.get(part);
    if (found) return found;
    throw new ClusterError("LOG_INCONSISTENT", `part ${part} of the snapshot of block ${height} is gone`);
  }

  async addSnapshotPart(epoch: bigint, after: LogStart, part: SnapshotPart): Promise<void> {
    this.#fence(epoch);
    const begun = part.part === 0 ? undefined : this.#snapshots.get(after.height);
    const snapshot = begun ?? { ...after, parts: new Map() };
    snapshot.parts.set(part.part, part);
    this.#snapshots.set(after.height, snapshot);
  }

  async prune(epoch: bigint, below: bigint, snapshots: number): Promise<void> {
    this.#fence(epoch);
    for (const height of [...this.#snapshots.keys()].toSorted((a, b) => Number(b - a)).slice(snapshots))
      this.#snapshots.delete(height);
    for (const height of this.#records.keys()) if (height < below) this.#records.delete(height);
    if (this.#lease.first < below) this.#lease = { ...this.#lease, first: below };
  }

  async close(): Promise<void> {}

  /** Edits the row of the lease, as a manual edit would. */
  edit(fields: Partial<Pick<LogState, "epoch" | "height" | "hash" | "first">>): void {
    Object.assign(this.#lease, fields);
  }

  /** Overwrites a record, as somebody with access to the tables could. */
  replace(record: ChangeRecord): void {
    this.#records.set(record.height, record);
    Object.assign(this.#lease, { height: record.height, hash: record.hash });
  }

  #has(height: bigint, hash: Hash): boolean {
    const known = height <= this.#lease.height ? this.#records.get(height) : undefined;
    return known !== undefined && equalBytes(known.hash, hash);
  }

  #check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  #fence(epoch: bigint): void {
    this.#check();
    const { epoch: now, holder } = this.#lease;
    if (epoch !== now) throw new ClusterError("LOG_FENCED", `epoch ${epoch} is over: ${holder} has ${now}`);
  }
}
