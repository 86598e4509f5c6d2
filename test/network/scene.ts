import type { Kind } from "./node.ts";
import type { Stage } from "./stage.ts";

/** Which program plays each part of a scene. */
export type Cast = Readonly<Record<string, Kind>>;

/** One thing that nodes do together. */
export interface Scene {
  /** A letter. */
  readonly id: string;
  readonly title: string;
  /** The casts with which it is played; one without a Go node comes first. */
  readonly casts: readonly Cast[];
  /** Whether the first cast belongs to the short set. */
  readonly isShort?: boolean;
  /** Genesis of the network; absent = one validator, every fork. */
  readonly genesisFile?: string;
  /** Plays it. @returns what was reached, for people @throws when it does not go as it must */
  play(stage: Stage, cast: Cast): Promise<string>;
}
