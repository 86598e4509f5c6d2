/** Timeout of round 0, in milliseconds. */
const FIRST_ROUND_MS = 10_000;
/** 2³¹ − 1 ms, the longest that timers take. */
const LONGEST_MS = 2_147_483_647;

/** Timeout of a round: 10 s, plus 2^round s after the first (Istanbul as of Kaia v2.2.1). */
export function roundTimeoutMs(round: number): number {
  return round === 0 ? FIRST_ROUND_MS : Math.min(FIRST_ROUND_MS + 2 ** round * 1000, LONGEST_MS);
}

/**
 * Time after which a round is given up if its proposer has sent nothing and is not connected, while enough others are: a proposal takes
 * a fraction of a second, by whatever route, and a dead validator would cost the others the whole timeout at each of its
 * turns. Grows with the rounds, in case the time itself is too short.
 */
export function absenceMs(round: number): number {
  return Math.min(3_000 * 2 ** round, roundTimeoutMs(round));
}
