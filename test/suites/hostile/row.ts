/** One promise of `docs/security.md`, and the attack that tests it. */
export interface HostileRow {
  /** As in the table of `docs/security.md`: `S2`, `L5`, `R4`. */
  readonly id: string;
  /** The promise, in a few words. */
  readonly promise: string;
  /** Slow: skipped unless selected by `--long` or its id. */
  readonly isLong?: boolean;
  /**
   * Attacks, and cleans up. @returns a summary @throws if the promise does not hold, and {@link Skipped} if this machine does not
   * support the attack
   */
  run(): Promise<string>;
}

/** The attack is not possible here, so the promise is neither confirmed nor refuted. */
export class Skipped extends Error {}

/** Fails the row unless a condition holds. */
export function hold(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
