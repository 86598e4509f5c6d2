import type { Hash } from "../../protocol/primitives/bytes.ts";

/** One block and its state changes, as stored in the log. */
export interface ChangeRecord {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly stateRoot: Hash;
  /** Epoch of the writer that appended it. */
  readonly epoch: bigint;
  /** SHA-256 as computed by `recordChecksum`. */
  readonly checksum: Uint8Array;
  /** The output of `encodeChange`; undefined if it exceeds the requested size. */
  readonly payload: Uint8Array | undefined;
  /** Size of the payload in bytes. */
  readonly size: number;
}

/** A record to append; the log adds the epoch. */
export type NewRecord = Omit<ChangeRecord, "epoch" | "size" | "payload"> & { readonly payload: Uint8Array };

/** The head of a log, and the lease on it. */
export interface LogState {
  /** Increases with each acquisition of the lease; 0 before the first. */
  readonly epoch: bigint;
  readonly holder: string;
  /** JSON-RPC URL of the holder; empty if unknown. */
  readonly url: string;
  /** Remaining milliseconds of the lease by the database's clock; negative once it has expired. */
  readonly leftMs: number;
  /** Expiry of the lease, an opaque text that changes with each renewal. */
  readonly until: string;
  readonly height: bigint;
  readonly hash: Hash;
  /** Height of the oldest record; `height + 1` if there is none. */
  readonly first: bigint;
}

/** The chain of a log. */
export interface LogChain {
  readonly genesisHash: Hash;
  readonly chainId: bigint;
}

/** The block after which a new log starts. */
export interface LogStart {
  readonly height: bigint;
  readonly hash: Hash;
}

/** Limits of a read. */
export interface RecordLimits {
  readonly records: number;
  /** Total bytes of payloads; at least one record is returned. */
  readonly bytes: number;
  /** Maximum bytes of a payload; a record with a larger one is returned without it. */
  readonly largest: number;
}

/** The node requesting the lease. */
export interface Candidate {
  /** Name of the node; the current holder can reacquire its lease immediately. */
  readonly holder: string;
  readonly url: string;
  readonly ttlMs: number;
  /** `until` of a lease that counts as expired although the database's clock has not reached it. */
  readonly overdue?: string | undefined;
}

/** One part of a snapshot. */
export interface SnapshotPart {
  readonly part: number;
  readonly parts: number;
  /** Name of the file that the part belongs to; parts of a file are consecutive. */
  readonly file: string;
  readonly sha256: Uint8Array;
  readonly bytes: Uint8Array;
}

/** A complete snapshot in the log. */
export interface SnapshotPlace extends LogStart {
  readonly parts: number;
}

/**
 * The committed blocks of a chain in order, stored outside the nodes that write and follow it. One writer at a time holds the lease, whose
 * epoch fences off writers with an expired lease: it is stored with every record.
 *
 * All methods throw ClusterError: only `LOG_UNREACHABLE` and `LOG_BUSY` are worth retrying.
 */
export interface ChangeLog {
  /**
   * Prepares the log: migrates its tables, and starts a new log after the given block.
   * @throws ClusterError `LOG_SCHEMA` for newer tables, `LOG_OTHER_CHAIN`
   */
  prepare(chain: LogChain, start: LogStart): Promise<LogState>;
  /**
   * Reads the log without changing anything.
   * @param chain - the expected chain, as far as known
   * @throws ClusterError as `prepare`; `LOG_SCHEMA` also for tables that are missing or older
   */
  open(chain?: Partial<LogChain>): Promise<LogState>;
  state(): Promise<LogState>;
  /**
   * Acquires the lease if it has expired or is the holder's own. The new epoch exceeds that of the lease and of the newest record.
   * @returns undefined while another node holds it
   */
  acquire(candidate: Candidate): Promise<LogState | undefined>;
  /** Extends the lease of an epoch. @throws ClusterError `LOG_FENCED` */
  renew(epoch: bigint, ttlMs: number): Promise<void>;
  /** Releases the lease, so that nobody has to wait for its expiry. */
  release(epoch: bigint): Promise<void>;
  /**
   * Appends consecutive records atomically. Records that are already in the log are left unchanged: an append with an unknown outcome can
   * be retried.
   * @param records - ascending, at least one; the first follows the newest of the log
   * @throws ClusterError `LOG_FENCED`, `LOG_INCONSISTENT` if they are not consecutive
   */
  append(epoch: bigint, records: readonly NewRecord[]): Promise<void>;
  /**
   * Removes the records and snapshots above a block, newest first: there is never a record above the head in the lease.
   * @throws ClusterError `LOG_FENCED`, `LOG_INCONSISTENT`
   */
  truncate(epoch: bigint, to: LogStart): Promise<void>;
  /** The records above a height, ascending, with a consistent state of the log. */
  read(
    after: bigint,
    limits: RecordLimits,
  ): Promise<{ readonly state: LogState; readonly records: readonly ChangeRecord[] }>;
  /** Hash of the record at a height; undefined if there is none. */
  hashAt(height: bigint): Promise<Hash | undefined>;
  /** Whether there is a record above the head in the lease, which only a manual edit can cause. */
  hasStray(): Promise<boolean>;
  /** The newest complete snapshot. */
  snapshot(): Promise<SnapshotPlace | undefined>;
  /** One part of a snapshot. @throws ClusterError `LOG_INCONSISTENT` if it is missing */
  snapshotPart(height: bigint, part: number): Promise<SnapshotPart>;
  /** Adds a part of a snapshot after a block: the first part replaces all existing ones, the last one completes the snapshot. */
  addSnapshotPart(epoch: bigint, after: LogStart, part: SnapshotPart): Promise<void>;
  /** Removes complete ranges of records below a height, and all but the newest `snapshots` snapshots. */
  prune(epoch: bigint, below: bigint, snapshots: number): Promise<void>;
  close(): Promise<void>;
}
