import type { MachineMessage } from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Hash } from "../../../src/protocol/primitives/bytes.ts";

/** A block, as far as validators care. */
export interface SimulatedBlock {
  readonly digest: string;
  readonly number: number;
  /** Digest of the block before. */
  readonly parent: string;
  /** Stands for the digest in the journal. */
  readonly hash: Hash;
  /** `invalid` is seen when a proposal is checked, `failing` only when the block is executed. */
  readonly flaw: "none" | "invalid" | "failing";
  /** Before this time a check finds it too early, in milliseconds. */
  readonly dueAt: number;
}

/** What is drawn of a run. */
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

/** A mark with its time in milliseconds and the validator that it is about. */
export type TimedMark = Mark & { readonly at: number; readonly validator: number };

/** Faults of the links, from one time to another. */
export interface FaultSpan {
  readonly from: number;
  readonly name: string;
}

/** A promise that was broken. */
export class Violation extends Error {
  override name = "Violation";
}

/** A view as one number; rounds beyond a million do not occur. */
const ROUNDS = 2 ** 20;

/**
 * What validators said and decided, judged as it happens: one block at each height and a valid one, one block in each view from
 * whoever is honest, whether it crashed meanwhile or not.
 */
export class History {
  readonly marks: TimedMark[] = [];
  readonly faults: FaultSpan[] = [];
  /** Highest round in which anybody honest voted. */
  highestRound = 0;
  readonly #decided: string[] = [];
  readonly #votes: Map<number, string>[];
  readonly #isLiar: readonly boolean[];
  readonly #isDrawn: boolean;

  constructor(isLiar: readonly boolean[], isDrawn: boolean) {
    this.#votes = isLiar.map(() => new Map());
    this.#isLiar = isLiar;
    this.#isDrawn = isDrawn;
  }

  /** Number of the highest block that was decided. */
  get height(): number {
    return Math.max(0, this.#decided.length - 1);
  }

  /** A message left a validator. */
  said(validator: number, message: MachineMessage): void {
    if (this.#isLiar[validator]) return;
    if (message.round > this.highestRound) this.highestRound = message.round;
    if (message.kind === "roundChange") return;
    const digest = message.kind === "preprepare" ? message.proposal.digest : message.digest;
    const view = message.sequence * ROUNDS + message.round;
    const before = this.#votes[validator]?.get(view);
    if (before === undefined) this.#votes[validator]?.set(view, digest);
    else if (before !== digest)
      throw new Violation(
        `validator ${validator} spoke for ${before} and with ${message.kind} for ${digest} in ${viewOf(message)}`,
      );
  }

  /** An honest validator saw that a quorum committed to a block. */
  decided(validator: number, { number, digest, flaw }: SimulatedBlock): void {
    if (flaw === "invalid") throw new Violation(`validator ${validator} decided the invalid block ${digest}`);
    if (flaw === "none") this.#settle(validator, number, digest);
  }

  /** A validator put a block onto its chain, decided by itself or by others. */
  inserted(validator: number, { number, digest }: SimulatedBlock): void {
    this.#settle(validator, number, digest);
  }

  /** What is drawn, where anything is. */
  mark(at: number, validator: number, mark: Mark): void {
    if (this.#isDrawn) this.marks.push({ ...mark, at, validator });
  }

  /** The links changed. */
  fault(from: number, name: string): void {
    if (this.#isDrawn) this.faults.push({ from, name });
  }

  #settle(validator: number, number: number, digest: string): void {
    const before = this.#decided[number];
    if (before === undefined) this.#decided[number] = digest;
    else if (before !== digest)
      throw new Violation(
        `validator ${validator} has ${digest} at height ${number}, where others have ${before}`,
      );
  }
}

function viewOf({ sequence, round }: MachineMessage): string {
  return `round ${round} of block ${sequence}`;
}
