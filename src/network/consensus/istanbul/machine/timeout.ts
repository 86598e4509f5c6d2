/** How long round 0 may take, in milliseconds. */
const FIRST_ROUND_MS = 10_000;
/** 2³¹ − 1 ms, the longest that timers take. */
const LONGEST_MS = 2_147_483_647;

/** How long a round may take: 10 s, and 2^round s more after the first (Istanbul as of Kaia v2.2.1). */
export function roundTimeoutMs(round: number): number {
  return round === 0 ? FIRST_ROUND_MS : Math.min(FIRST_ROUND_MS + 2 ** round * 1000, LONGEST_MS);
}
