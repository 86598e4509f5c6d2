/** One promise of `docs/security.md`, and the attack that it is held to. */
export interface HostileRow {
  /** As in the table of `docs/security.md`: `S2`, `L5`, `R4`. */
  readonly id: string;
  /** What holds, in a few words. */
  readonly promise: string;
  /** Takes minutes, or more than its share of them: left out unless `--long` or its id asks for it. */
  readonly isLong?: boolean;
  /**
   * Attacks, and cleans up behind itself. @returns the figure that was reached @throws when the promise does not hold, and
   * {@link Skipped} where this machine does not let it be attacked
   */
  run(): Promise<string>;
}

/** The attack could not be made here, so that the promise was neither held nor broken. */
export class Skipped extends Error {}

/** Fails the row unless a condition holds. */
export function hold(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
