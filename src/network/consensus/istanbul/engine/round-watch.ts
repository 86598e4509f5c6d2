import type { Attempt } from "../machine/types.ts";

/** Hears how the rounds of a validator go. */
export interface RoundWatch {
  /** A round has begun; 0 with each new block. */
  began(at: Attempt): void;
  timedOut(at: Attempt): void;
  /** A proposal breaks a rule. */
  refused(at: Attempt, reason: string): void;
  /** A block was decided and is in the chain. */
  decided(at: Attempt): void;
}
