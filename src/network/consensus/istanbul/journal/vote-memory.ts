import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { View } from "../messages/message.ts";
import type { OwnVote, VoteRecord } from "./vote-record.ts";

/** Number of recent sequences whose votes are remembered; no votes are sent for older ones. */
const REMEMBERED_BLOCKS = 64n;

/** The block that a validator is locked on. */
export interface VoteLock {
  readonly digest: Hash;
  /** RLP of the block, including sidecars. */
  readonly proposal: Uint8Array;
  /** Round in which the commit was sent. */
  readonly round: number;
}

/** The view in which a validator stopped, and its lock. */
export interface StoppedAt extends View {
  /** The newest commit in this sequence. */
  readonly lock: VoteLock | undefined;
}

/** The votes of a validator: one block per view. */
export class VoteMemory {
  /** Digests voted for, by sequence and round. */
  readonly #votes = new Map<bigint, Map<number, Hash>>();
  /** Recorded blocks of the newest sequence, by hash. */
  readonly #proposals = new Map<string, Uint8Array>();
  #newest: StoppedAt | undefined;
  #oldest = 0n;

  /** The newest view in which a message was sent; undefined if none ever was. */
  get stoppedAt(): StoppedAt | undefined {
    return this.#newest;
  }

  /** First sequence for which votes are remembered; no votes are sent for those before it. */
  get oldest(): bigint {
    return this.#oldest;
  }

  /**
   * Whether a vote is consistent with all earlier ones: no other block was voted for in its view, and its sequence is
   * recent enough to be known.
   */
  allows({ kind, sequence, round, digest }: OwnVote): boolean {
    if (kind === "roundChange") return true;
    if (sequence < this.#oldest) return false;
    const before = this.#votes.get(sequence)?.get(round);
    return before === undefined || equalBytes(before, digest);
  }

  /** Whether the block of a vote is already recorded. */
  hasProposal(digest: Hash): boolean {
    return this.#proposals.has(bytesToHex(digest));
  }

  /** Forbids votes for sequences below one, since earlier votes for them are unknown. */
  forgetBelow(sequence: bigint): void {
    if (sequence > this.#oldest) this.#oldest = sequence;
  }

  /** Adds a vote of the journal. */
  add(record: VoteRecord): void {
    const { kind, sequence, round, digest } = record;
    if (kind !== "roundChange") {
      const rounds = this.#votes.get(sequence) ?? new Map<number, Hash>();
      this.#votes.set(sequence, rounds.set(round, digest));
    }
    if (this.#newest === undefined || sequence > this.#newest.sequence) this.#advance(sequence);
    if (sequence !== this.#newest?.sequence) return;
    if (record.proposal.length > 0) this.#proposals.set(bytesToHex(digest), record.proposal);
    this.#newest = {
      sequence,
      round: Math.max(round, this.#newest.round),
      lock: this.#lockAfter(record) ?? this.#newest.lock,
    };
  }

  #lockAfter({ kind, round, digest }: VoteRecord): VoteLock | undefined {
    const proposal = this.#proposals.get(bytesToHex(digest));
    const isNewer = round >= (this.#newest?.lock?.round ?? 0);
    return kind === "commit" && isNewer && proposal !== undefined ? { digest, proposal, round } : undefined;
  }

  #advance(sequence: bigint): void {
    this.#newest = { sequence, round: 0, lock: undefined };
    this.#proposals.clear();
    if (sequence <= REMEMBERED_BLOCKS) return;
    this.forgetBelow(sequence - REMEMBERED_BLOCKS);
    for (const known of this.#votes.keys()) if (known < this.#oldest) this.#votes.delete(known);
  }
}
