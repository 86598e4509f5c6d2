import { IstanbulMachine } from "../../../src/network/consensus/istanbul/machine/machine.ts";
import type { MachineMessage } from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { History } from "./history.ts";

/** A message in flight, and the epochs in which it reached each validator. */
export interface Envelope {
  readonly message: MachineMessage;
  readonly reached: Int32Array;
}

/** Changes to honest validators, to check that the simulation finds them. */
export interface Conduct {
  readonly machine: typeof IstanbulMachine<Envelope>;
  /** Nothing is read from the journal at a start. */
  readonly forgets: boolean;
  /** Votes leave before they are on disk. */
  readonly sendsFirst: boolean;
  /** Proposals are executed before a vote for them. The reference executes them only once decided. */
  readonly executes: boolean;
  /** Messages of an earlier process are ignored. */
  readonly judgesVotes: boolean;
}

/** Settings of a run. */
export interface Setting {
  readonly seed: number;
  readonly validators: number;
  /** Validators that decide about one block; all if there are fewer. */
  readonly committee: number;
  /** Deviations from honest conduct, to check that the simulation finds them. */
  readonly conduct?: Partial<Conduct>;
  /** Votes missing from a quorum. */
  readonly missingVotes?: number;
  readonly isDrawn?: boolean;
}

/** The result of a run. */
export interface Outcome {
  readonly seed: number;
  /** The violated invariant; undefined if none. */
  readonly violation: string | undefined;
  /** From the last fault to new blocks everywhere. */
  readonly healedAfterMs: number;
  readonly blocks: number;
  readonly highestRound: number;
  readonly events: number;
  readonly untilMs: number;
  readonly history: History;
}

/** How an honest validator behaves. */
export const HONEST: Conduct = {
  machine: IstanbulMachine,
  forgets: false,
  sendsFirst: false,
  executes: true,
  judgesVotes: true,
};
