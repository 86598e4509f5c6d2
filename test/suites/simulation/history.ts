import type {
  MachineMessage,
  Member,
  ViewCommittee,
  ViewId,
} from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Hash } from "../../../src/protocol/primitives/bytes.ts";

/** A block, as far as relevant for validators. */
export interface SimulatedBlock {
  readonly digest: string;
  readonly number: number;
  /** Digest of the block before. */
  readonly parent: string;
  /** The digest in the journal. */
  readonly hash: Hash;
  /** `invalid` is visible in the header, `failing` only when the block is executed. */
  readonly flaw: "none" | "invalid" | "failing";
  /** Earliest valid time, in milliseconds. */
  readonly dueAt: number;
}

/** Events of a run that are drawn. */
export type Mark =
  | { readonly what: "round"; readonly sequence: number; readonly round: number }
  | { readonly what: "block"; readonly number: number; readonly digest: string }
  | { readonly what: "down" | "up" }
  | {
      readonly what: "flight";
      readonly kind: MachineMessage["kind"];
      readonly to: number;
      readonly until: number;
    }
  | { readonly what: "lost"; readonly kind: MachineMessage["kind"]; readonly to: number };

/** A mark with its time in milliseconds and the validator concerned. */
export type TimedMark = Mark & { readonly at: number; readonly validator: number };

/** Faults of the links, with start and end. */
export interface FaultSpan {
  readonly from: number;
  readonly name: string;
}

/** A violated invariant. */
export class Violation extends Error {
  override name = "Violation";
}

/** A view as one number; rounds beyond a million do not occur. */
const ROUNDS = 2 ** 20;

/**
 * Checks the messages and decisions of validators as they happen: one block per height, a valid one committed to by a quorum; of each
 * honest validator, one block per view, proposed by its proposer, and at one height no vote against a block that it committed to, even
 * across crashes.
 */
export class History {
  readonly marks: TimedMark[] = [];
  readonly faults: FaultSpan[] = [];
  /** Highest round in which an honest validator voted. */
  highestRound = 0;
  readonly #decided: string[] = [];
  readonly #votes: Map<number, string>[];
  /** What the proposer of a view proposed, to any validator. */
  readonly #proposed = new Map<number, string[]>();
  /** The block each validator committed to, by height. */
  readonly #locks: Map<number, string>[];
  readonly #failed = new Set<string>();
  /** The validators that committed to a block in a view. */
  readonly #commits = new Map<string, Set<Member>>();
  readonly #isLiar: readonly boolean[];
  readonly #isDrawn: boolean;

  constructor(isLiar: readonly boolean[], isDrawn: boolean) {
    this.#votes = isLiar.map(() => new Map());
    this.#locks = isLiar.map(() => new Map());
    this.#isLiar = isLiar;
    this.#isDrawn = isDrawn;
  }

  /** Number of the highest block decided. */
  get height(): number {
    return Math.max(0, this.#decided.length - 1);
  }

  /** A message was created, by an honest or byzantine validator. */
  made(message: MachineMessage, proposer: Member): void {
    const view = message.sequence * ROUNDS + message.round;
    if (message.kind === "preprepare" && message.from === proposer) {
      const { digest } = message.proposal;
      this.#proposed.set(view, [...(this.#proposed.get(view) ?? []), digest]);
    } else if (message.kind === "commit") {
      const key = `${view}/${message.digest}`;
      this.#commits.set(key, (this.#commits.get(key) ?? new Set()).add(message.from));
    }
  }

  /** A message leaves a validator. */
  said(validator: number, message: MachineMessage): void {
    if (this.#isLiar[validator]) return;
    if (message.round > this.highestRound) this.highestRound = message.round;
    if (message.kind === "roundChange") return;
    const digest = message.kind === "preprepare" ? message.proposal.digest : message.digest;
    const view = message.sequence * ROUNDS + message.round;
    if (message.kind === "prepare" && this.#proposed.get(view)?.includes(digest) !== true)
      throw new Violation(
        `validator ${validator} prepares ${digest}, which nobody may propose in ${viewOf(message)}`,
      );
    if (message.kind !== "preprepare") this.#judgeLock(validator, message, digest);
    const before = this.#votes[validator]?.get(view);
    if (before === undefined) this.#votes[validator]?.set(view, digest);
    else if (before !== digest)
      throw new Violation(
        `validator ${validator} spoke for ${before} and with ${message.kind} for ${digest} in ${viewOf(message)}`,
      );
  }

  /** A validator observed a quorum of commits for a block. */
  decided(
    validator: number,
    { number, digest, flaw }: SimulatedBlock,
    { sequence, round, sealsOf }: ViewId & { readonly sealsOf: readonly Member[] },
    { members, quorum }: ViewCommittee,
  ): void {
    const commits = this.#commits.get(`${sequence * ROUNDS + round}/${digest}`);
    const isSaid = (member: Member) => member === String(validator) || commits?.has(member) === true;
    const right = sealsOf.filter((member) => members.has(member) && isSaid(member));
    if (number !== sequence || right.length !== sealsOf.length || new Set(right).size < quorum)
      throw new Violation(`validator ${validator} decided ${digest} by seals of ${sealsOf.join(", ")}`);
    if (flaw === "invalid") throw new Violation(`validator ${validator} decided the invalid block ${digest}`);
    if (flaw === "none") this.#drain(validator, number, digest);
  }

  /** A validator inserted a block into its chain, decided by itself or by others. */
  inserted(validator: number, { number, digest }: SimulatedBlock): void {
    this.#drain(validator, number, digest);
  }

  /** A block failed in execution, as it does on every node. */
  failed(digest: string): void {
    this.#failed.add(digest);
  }

  /** Records an event, if the run is drawn. */
  mark(at: number, validator: number, mark: Mark): void {
    if (this.#isDrawn) this.marks.push({ ...mark, at, validator });
  }

  /** The links changed. */
  fault(from: number, name: string): void {
    if (this.#isDrawn) this.faults.push({ from, name });
  }

  #judgeLock(validator: number, { kind, sequence, round }: MachineMessage, digest: string): void {
    if (this.#decided[sequence] === digest) return; // an old proposal is affirmed
    const locks = this.#locks[validator] as Map<number, string>;
    const lock = locks.get(sequence);
    if (lock !== undefined && lock !== digest && !this.#failed.has(lock))
      throw new Violation(
        `validator ${validator} committed to ${lock} and votes for ${digest} in ${viewOf({ sequence, round })}`,
      );
    if (kind === "commit") locks.set(sequence, digest);
  }

  #drain(validator: number, number: number, digest: string): void {
    const before = this.#decided[number];
    if (before === undefined) this.#decided[number] = digest;
    else if (before !== digest)
      throw new Violation(
        `validator ${validator} has ${digest} at height ${number}, where others have ${before}`,
      );
  }
}

function viewOf({ sequence, round }: ViewId): string {
  return `round ${round} of block ${sequence}`;
}
