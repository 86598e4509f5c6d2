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
  /** As made by `encodeChange`; undefined if it exceeds the requested size. */
  readonly payload: Uint8Array | undefined;
  /** Size of the payload in bytes. */
  readonly size: number;
}

/** A record to append; the log adds the epoch. */
export type NewRecord = Omit<ChangeRecord, "epoch" | "size" | "payload"> & { readonly payload: Uint8Array };

/** The newest block of a log, and who may write the next one. */
export interface LogState {
  /** Grows with each writer; 0 while none has held the lease. */
  readonly epoch: bigint;
  readonly holder: string;
  /** JSON-RPC URL of the holder; empty if it gave none. */
  readonly url: string;
  /** Milliseconds that the lease lasts by the database's clock; negative when it is over. */
  readonly leftMs: number;
  /** When the lease ends, as an opaque text that changes with each renewal. */
  readonly until: string;
  readonly height: bigint;
  readonly hash: Hash;
  /** Height of the oldest record; `height + 1` if there is none. */
  readonly first: bigint;
}

/** Which chain a log is for. */
export interface LogChain {
  readonly genesisHash: Hash;
  readonly chainId: bigint;
}

/** The block after which a new log starts. */
export interface LogStart {
  readonly height: bigint;
  readonly hash: Hash;
}

/** Bounds of one read. */
export interface RecordLimits {
  readonly records: number;
  /** Bytes of all payloads together; at least one record is returned. */
  readonly bytes: number;
  /** Bytes of one payload; a record with a larger one is returned without it. */
  readonly largest: number;
}

/** The node requesting the lease. */
export interface Candidate {
  /** Name of the node; the node that already holds the lease gets it again without waiting. */
  readonly holder: string;
  readonly url: string;
  readonly ttlMs: number;
  /** `until` of a lease that counts as expired although the database's clock has not reached its end. */
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
 * The committed blocks of a chain in order, kept outside the nodes that make and follow it. One writer at a time holds the lease, and
 * each lease has an epoch that is stored with every record, so that a writer whose lease has expired cannot append.
 *
 * All methods throw ClusterError: only `LOG_UNREACHABLE` and `LOG_BUSY` are worth retrying.
 */
export interface ChangeLog {
  /**
   * Makes the log ready: brings its tables up to date, and starts a new log after the given block.
   * @throws ClusterError `LOG_SCHEMA` for newer tables, `LOG_OTHER_CHAIN`
   */
  prepare(chain: LogChain, start: LogStart): Promise<LogState>;
  /**
   * Reads the log without changing anything.
   * @param chain - what is known of the expected chain
   * @throws ClusterError as `prepare`; `LOG_SCHEMA` also for tables that are missing or older
   */
  open(chain?: Partial<LogChain>): Promise<LogState>;
  state(): Promise<LogState>;
  /**
   * Takes the lease if it has expired or is the holder's own. The new epoch exceeds that of the lease and of the newest record.
   * @returns undefined while another node holds it
   */
  acquire(candidate: Candidate): Promise<LogState | undefined>;
  /** Extends the lease of an epoch. @throws ClusterError `LOG_FENCED` */
  renew(epoch: bigint, ttlMs: number): Promise<void>;
  /** Gives up the lease, so that nobody has to wait for it to expire. */
  release(epoch: bigint): Promise<void>;
  /**
   * Appends consecutive records, all or none. Records that are already in the log are left as they are, so that an append whose
   * outcome is unknown can be repeated.
   * @param records - ascending, at least one; the first follows the newest of the log
   * @throws ClusterError `LOG_FENCED`, `LOG_INCONSISTENT` when they do not follow
   */
  append(epoch: bigint, records: readonly NewRecord[]): Promise<void>;
  /**
   * Removes the records and snapshots above a block, newest first: at no moment is there a record above the newest one that
   * the lease names.
   * @throws ClusterError `LOG_FENCED`, `LOG_INCONSISTENT`
   */
  truncate(epoch: bigint, to: LogStart): Promise<void>;
  /** The records above a height, ascending, with the state of the log at the same moment. */
  read(
    after: bigint,
    limits: RecordLimits,
  ): Promise<{ readonly state: LogState; readonly records: readonly ChangeRecord[] }>;
  /** Hash of the record at a height; undefined where there is none. */
  hashAt(height: bigint): Promise<Hash | undefined>;
  /** Whether there is a record above the newest one that the lease names: only an edit by hand can cause that. */
  hasStray(): Promise<boolean>;
  /** The newest complete snapshot. */
  snapshot(): Promise<SnapshotPlace | undefined>;
  /** One part of a snapshot. @throws ClusterError `LOG_INCONSISTENT` where it is not there */
  snapshotPart(height: bigint, part: number): Promise<SnapshotPart>;
  /** Adds a part of a snapshot after a block: the first part replaces all existing ones, the last one completes the snapshot. */
  addSnapshotPart(epoch: bigint, after: LogStart, part: SnapshotPart): Promise<void>;
  /** Removes records below a height, as far as whole ranges go, and all snapshots but the newest `snapshots`. */
  prune(epoch: bigint, below: bigint, snapshots: number): Promise<void>;
  close(): Promise<void>;
}
