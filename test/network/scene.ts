import type { Kind } from "./node.ts";
import type { Stage } from "./stage.ts";

/** The program of each node in a scene. */
export type Cast = Readonly<Record<string, Kind>>;

/** A scenario of several nodes. */
export interface Scene {
  /** A letter. */
  readonly id: string;
  readonly title: string;
  /** The casts it is played with; one without Go nodes comes first. */
  readonly casts: readonly Cast[];
  /** Whether the first cast is part of the short set. */
  readonly isShort?: boolean;
  /** Genesis of the network; absent = one validator, every fork. */
  readonly genesisFile?: string;
  /** Plays it. @returns a summary @throws if it fails */
  play(stage: Stage, cast: Cast): Promise<string>;
}
