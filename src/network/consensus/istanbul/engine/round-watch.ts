import type { ViewId } from "../machine/types.ts";

/** Observes the rounds of a validator. */
export interface RoundWatch {
  /** A round has started; round 0 with each new block. */
  began(at: ViewId): void;
  timedOut(at: ViewId): void;
  /** A proposal was rejected. */
  refused(at: ViewId, reason: string): void;
  /** A block was decided and is in the chain. */
  decided(at: ViewId): void;
}
