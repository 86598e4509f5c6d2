import type { DiskHealth } from "../../../../ledger/database/disk-health.ts";
import { CommitLog } from "../../../../ledger/database/log/commit-log.ts";
import type { Files } from "../../../../platform/runtime/files.ts";
import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { type StoppedAt, VoteMemory } from "./vote-memory.ts";
import { decodeVoteRecord, encodeVoteRecord, type OwnVote } from "./vote-record.ts";

/** Size of a segment file. The current and the previous segment together reach back far enough. */
const SEGMENT = { records: 4_096, bytes: 64 << 20 };

/**
 * A write-ahead journal of this validator's messages, so that it never votes for two blocks in one view, even if killed, and keeps its lock.
 * The reference persists neither.
 */
export class VoteJournal {
  readonly #memory = new VoteMemory();
  #log: CommitLog | undefined;
  #next = 1;
  #segment = { records: 0, bytes: 0 };

  private constructor() {}

  /** A journal in memory, for a node without a data folder. */
  static inMemory(): VoteJournal {
    return new VoteJournal();
  }

  /**
   * Opens the journal of a folder, which is created if missing. An incomplete write at the end is truncated: its
   * message was never sent.
   * @throws DatabaseError `LOG_DAMAGED` if anything else is damaged
   */
  static open(files: Files, directory: string, health: DiskHealth): VoteJournal {
    const journal = new VoteJournal();
    files.createDirectory(directory);
    const log = new CommitLog(files, directory, health);
    log.open(({ sequence, payload }) => {
      const record = decodeVoteRecord(payload);
      const isFirst = journal.#next === 1;
      if (isFirst && sequence > 1) journal.#memory.forgetBelow(record.sequence + 1n);
      journal.#memory.add(record);
      journal.#next = sequence + 1;
    });
    journal.#log = log;
    return journal;
  }

  /** The newest view in which this validator sent a message; undefined if it never did. */
  get stoppedAt(): StoppedAt | undefined {
    return this.#memory.stoppedAt;
  }

  /** First sequence that this validator may vote for: votes for earlier ones are no longer known. */
  get oldest(): bigint {
    return this.#memory.oldest;
  }

  /** Whether a vote contradicts no earlier one, so that `record` accepts it. */
  allows(vote: OwnVote): boolean {
    return this.#memory.allows(vote);
  }

  /**
   * Records a vote. Resolves once it is on disk and may be sent.
   * @param proposal - encodes the block that a `commit` is about
   * @returns false when it contradicts an earlier one, and must not be sent
   */
  async record(vote: OwnVote, proposal: () => Uint8Array = () => EMPTY_BYTES): Promise<boolean> {
    const memory = this.#memory;
    if (!memory.allows(vote)) return false;
    const isNewBlock = vote.kind === "commit" && !memory.hasProposal(vote.digest);
    const record = { ...vote, proposal: isNewBlock ? proposal() : EMPTY_BYTES };
    memory.add(record);
    await this.#append(encodeVoteRecord(record));
    return true;
  }

  /** Closes the journal once all records are on disk. */
  async close(): Promise<void> {
    await this.#log?.close();
  }

  async #append(payload: Uint8Array): Promise<void> {
    if (this.#log === undefined) return;
    const log = this.#log;
    const appended = log.append({ sequence: this.#next++, payload });
    this.#segment.records++;
    this.#segment.bytes += payload.length;
    if (this.#segment.records >= SEGMENT.records || this.#segment.bytes >= SEGMENT.bytes) {
      this.#segment = { records: 0, bytes: 0 };
      const ended = await log.roll();
      log.drop(ended.slice(0, -1));
    }
    await appended;
  }
}
