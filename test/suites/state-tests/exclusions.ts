/** A group of rows that these rules cannot judge, and why. */
interface Exclusion {
  readonly reason: string;
  readonly fork: string;
  /** Part of the paths of its files. */
  readonly path: string;
}

/** Every exclusion; all other rows must pass. */
const EXCLUSIONS: readonly Exclusion[] = [
  {
    reason: "2^32 - 1 rounds of BLAKE2 in one call, more than half an hour; `--slow` runs it",
    fork: "Cancun",
    path: "stTimeConsuming/CALLBlake2f_MaxRounds",
  },
];

/** Why the rows of a file under a fork are left out; undefined when they are not. */
export function exclusionOf(rows: { path: string; fork: string }): string | undefined {
  return EXCLUSIONS.find(({ fork, path }) => fork === rows.fork && rows.path.includes(path))?.reason;
}
