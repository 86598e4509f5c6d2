// One class: polling and applying share the known state of the log.
import type { ChainError } from "../../../ledger/chain/errors.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import type { ChangeLog, ChangeRecord, LogState } from "../change-log.ts";
import { ClusterError, type ClusterErrorCode } from "../errors.ts";
import { Pause } from "../pause.ts";
import { MAX_PAYLOAD } from "../record/change-codec.ts";
import {
  checkSenders,
  type RecordChecks,
  readRecord,
  type VerifiedRecord,
  verifyRecord,
} from "../record/verify-record.ts";
import { rewindToLog } from "./common-ancestor.ts";
import { PollingSchedule } from "./polling-schedule.ts";

/** Dependencies of a follower. */
export interface FollowerParts extends RecordChecks {
  readonly log: ChangeLog;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
  /** Executes a block and compares all results: for followers that trust only state they have computed themselves. */
  readonly execute?: ((block: Block) => Promise<void>) | undefined;
  /** Saves a rejected record for examination. */
  quarantine(record: ChangeRecord, error: ClusterError): void;
  /** Called after each poll; `leave` ends following. */
  onPoll?(state: LogState): Promise<"stay" | "leave">;
  /** Whether blocks above the log's head are kept until the log has others: a standby may have to write them. */
  readonly keepsOwn?: () => boolean;
  /** Maximum polling interval; default 1 s. */
  readonly maxPollMs?: number;
}

/** Limits of a read, which is held in memory. */
const LIMITS = { records: 32, bytes: 8 << 20, largest: MAX_PAYLOAD };
/** Maximum unpublished blocks while more are applied. */
const MAX_BACKLOG = 64;
/** Maximum blocks whose senders are not recovered yet while more are applied; their records are held until then. */
const MAX_UNATTRIBUTED = 4n;
const MAX_POLL_MS = 1_000;
/** Delay after a rejected record or an unreachable database. */
const FAILED_PAUSE_MS = 500;
/** Maximum delay before a quarantined record is reread: each read costs megabytes of traffic, and work. */
const REFUSED_PAUSE_MS = 5_000;
/** Errors that end following: this node's blocks and the log's cannot be reconciled. All others can be fixed in the database. */
const FINAL: ReadonlySet<ClusterErrorCode> = new Set(["DIVERGED", "LOG_TOO_OLD"]);
/** Errors of this node's chain that a retry may fix. */
const LOCAL_FAILURES: ReadonlySet<string> = new Set(["CLOSED", "STALE_CANDIDATE", "STATE_STALE"]);
/** Attempts before a record is quarantined. */
const MAX_ATTEMPTS = 3;

/** The status of a follower. */
export interface FollowerStatus {
  /** Head of the log at the last poll. */
  readonly logHeight: bigint;
  /** Milliseconds since then; undefined before the first poll. */
  readonly polledMs: number | undefined;
  /** Number of rejected records. */
  readonly refused: number;
  /** Why nothing can be applied; undefined if all is well. */
  readonly failure: ClusterError | undefined;
}

/** Applies the records of the log to a chain, one by one, each only after complete verification. */
export class Follower {
  readonly #parts: FollowerParts;
  #state: LogState | undefined;
  #polledMs = 0;
  readonly #cadence: PollingSchedule;
  /** Epoch of the record applied last. */
  #epoch = 0n;
  #refused = 0;
  #refusals = 0;
  /** Checksum of the record quarantined last. */
  #quarantined: Uint8Array | undefined;
  #failure: ClusterError | undefined;
  #isStopped = false;
  readonly #pause: Pause;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#pause = new Pause(parts.runtime.timers);
    this.#cadence = new PollingSchedule(parts.runtime.clock.elapsed(), parts.maxPollMs ?? MAX_POLL_MS);
  }

  get status(): FollowerStatus {
    const now = this.#parts.runtime.clock.elapsed();
    return {
      logHeight: this.#state?.height ?? 0n,
      polledMs: this.#state && now - this.#polledMs,
      refused: this.#refused,
      failure: this.#failure,
    };
  }

  /** The state of the log at the last poll. */
  get state(): LogState | undefined {
    return this.#state;
  }

  /**
   * Follows until it is stopped, or `onPoll` ends it.
   * @throws ClusterError that no retry can fix: `DIVERGED`, `LOG_TOO_OLD`
   */
  run(): Promise<void> {
    const running = this.#follow();
    this.#running = running.catch(() => {});
    return running;
  }

  /** Applies what is in the log now. @throws ClusterError also for errors that a retry may fix */
  async catchUp(): Promise<LogState> {
    for (;;) {
      const state = await this.#poll();
      if (state.height <= this.#parts.chain.tip.header.number) {
        await this.#parts.chain.published();
        return state;
      }
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#pause.end();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      let pauseMs: number;
      try {
        const state = await this.#poll();
        if (this.#failure) this.#parts.logger.info("the change log is followed again");
        this.#failure = undefined;
        if ((await this.#parts.onPoll?.(state)) === "leave") return;
        const isBehind = state.height > this.#parts.chain.tip.header.number;
        pauseMs = isBehind ? 0 : this.#cadence.pauseMs(this.#parts.runtime.clock.elapsed());
      } catch (error) {
        this.#handleFailure(error);
        pauseMs = this.#failedPauseMs;
      }
      if (!this.#isStopped) await this.#pause.take(pauseMs);
    }
  }

  /** Reads once and applies the records found. */
  async #poll(): Promise<LogState> {
    const { log, chain, runtime, keepsOwn = () => false } = this.#parts;
    const { header, hash } = chain.tip;
    const { state, records } = await log.read(header.number, LIMITS);
    this.#state = state;
    this.#polledMs = runtime.clock.elapsed();
    this.#cadence.polled(this.#polledMs, records.length);
    const first = records[0];
    const own = chain.ancestry.hash(state.height);
    const isBeside =
      (own !== undefined && !equalBytes(own, state.hash)) ||
      (state.height < header.number && !keepsOwn()) ||
      (first !== undefined && first.height === header.number + 1n && !equalBytes(first.parentHash, hash));
    if (isBeside) {
      const count = await rewindToLog(chain, log, state);
      if (count > 0) {
        this.#parts.logger.warn("blocks gave way to those of the change log", { count, head: state.height });
        return state;
      }
      // The log has this node's head too, so the next record is treated as one with a wrong parent.
    }
    if (first === undefined) {
      if (state.height > header.number) await this.#missing(state, header.number);
      return state;
    }
    if (first.height !== header.number + 1n) await this.#missing(state, header.number);
    for (const record of records) {
      if (this.#isStopped) break;
      await this.#apply(record, state);
    }
    return state;
  }

  async #apply(record: ChangeRecord, state: LogState): Promise<void> {
    const { chain, execute } = this.#parts;
    await this.#attributed(record.height - MAX_UNATTRIBUTED);
    try {
      this.#checkEpoch(record, state);
      if (execute) await execute((await readRecord(record)).block);
      else {
        const verified = await verifyRecord(record, this.#parts);
        await chain.insert(verified.candidate);
        void this.#compare(record, verified);
      }
      this.#refusals = 0;
      this.#epoch = record.epoch;
      await chain.published(MAX_BACKLOG);
    } catch (error) {
      throw this.#refuse(record, error);
    }
    // Never hold several large records while their senders are recovered.
    if (record.size > LIMITS.bytes) await this.#attributed(record.height);
  }

  /** @throws ClusterError `BAD_RECORD` if an earlier block has an invalid signature: nothing is built on it */
  async #attributed(number: bigint): Promise<void> {
    try {
      await this.#parts.chain.attributed(number);
    } catch (cause) {
      const { code, message } = cause as ChainError;
      if (LOCAL_FAILURES.has(code)) throw new ClusterError("LOG_BUSY", message, {}, { cause });
      throw new ClusterError("BAD_RECORD", `the change log is not followed: ${message}`, {}, { cause });
    }
  }

  /** Reports a record with wrong senders, which does no harm: they were not used. */
  async #compare(record: ChangeRecord, { candidate, claimed }: VerifiedRecord): Promise<void> {
    if (claimed === undefined) return;
    const { chain } = this.#parts;
    try {
      await chain.attributed(record.height);
      checkSenders(record, candidate.block.transactions, claimed, chain.config.chainId);
    } catch (error) {
      const isOwn = error instanceof NodeError && LOCAL_FAILURES.has(error.code);
      if (!isOwn && !this.#isStopped) this.#quarantine(record, refusalOf(record, error));
    }
  }

  #quarantine(record: ChangeRecord, refusal: ClusterError): void {
    this.#refused++;
    this.#parts.quarantine(record, refusal);
  }

  /** Epochs never decrease along the log, except where it was started over. */
  #checkEpoch({ height, epoch }: ChangeRecord, state: LogState): void {
    const before = height === state.first ? 0n : this.#epoch;
    const what =
      epoch < before
        ? `is older than that of the block before, ${before}`
        : epoch > state.epoch
          ? `is ahead of the lease's, ${state.epoch}`
          : undefined;
    if (what === undefined) return;
    const text = `the record of block ${height} is refused: its epoch ${epoch} ${what}`;
    throw new ClusterError("BAD_RECORD", text, { height, epoch });
  }

  #refuse(record: ChangeRecord, error: unknown): unknown {
    // A local failure is not the record's fault.
    if (error instanceof NodeError && LOCAL_FAILURES.has(error.code))
      return new ClusterError("LOG_BUSY", `block ${record.height} cannot be kept: ${error.message}`);
    const refusal = refusalOf(record, error);
    if (refusal.code !== "BAD_RECORD" || ++this.#refusals < MAX_ATTEMPTS) return refusal;
    const { checksum } = record;
    if (this.#quarantined && equalBytes(checksum, this.#quarantined)) return refusal;
    this.#quarantined = checksum;
    this.#quarantine(record, refusal);
    return refusal;
  }

  get #failedPauseMs(): number {
    const more = Math.max(0, this.#refusals - MAX_ATTEMPTS);
    return Math.min(FAILED_PAUSE_MS * 2 ** more, REFUSED_PAUSE_MS);
  }

  /** The log has records above the head, but not the next one. */
  async #missing(state: LogState, head: bigint): Promise<never> {
    if (state.first > head + 1n)
      throw new ClusterError(
        "LOG_TOO_OLD",
        `the change log begins with block ${state.first} and this node has ${head}: begin again in an empty data folder, from the newest snapshot`,
        { first: state.first, head },
      );
    throw new ClusterError(
      "LOG_GAP",
      `block ${head + 1n} is missing in the change log, which is to end with block ${state.height}: are rows gone, or was its lease edited by hand?`,
      { head },
    );
  }

  /** @throws errors that no retry can fix */
  #handleFailure(error: unknown): void {
    if (!(error instanceof ClusterError) || FINAL.has(error.code)) throw error;
    if (this.#failure?.message !== error.message)
      this.#parts.logger.warn("the change log cannot be followed", { error: error.message });
    this.#failure = error;
  }
}

function refusalOf({ height }: ChangeRecord, error: unknown): ClusterError {
  if (error instanceof ClusterError) return error;
  const text = `the record of block ${height} is refused: ${(error as Error).message}`;
  return new ClusterError("BAD_RECORD", text, {}, { cause: error });
}
