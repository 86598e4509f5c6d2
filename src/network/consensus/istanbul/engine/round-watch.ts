import type { Attempt } from "../machine/types.ts";

/** Observes the rounds of a validator. */
export interface RoundWatch {
  /** A round has begun; 0 with each new block. */
  began(at: Attempt): void;
  timedOut(at: Attempt): void;
  /** A proposal breaks a rule. */
  refused(at: Attempt, reason: string): void;
  /** A block was decided and is in the chain. */
  decided(at: Attempt): void;
}
