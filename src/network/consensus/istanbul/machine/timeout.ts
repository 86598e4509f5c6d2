/** Timeout of round 0, in milliseconds. */
const FIRST_ROUND_MS = 10_000;
/** 2³¹ − 1 ms, the longest that timers take. */
const LONGEST_MS = 2_147_483_647;

/** Timeout of a round: 10 s, plus 2^round s after the first (Istanbul as of Kaia v2.2.1). */
export function roundTimeoutMs(round: number): number {
  return round === 0 ? FIRST_ROUND_MS : Math.min(FIRST_ROUND_MS + 2 ** round * 1000, LONGEST_MS);
}

/**
 * Time after which a round is given up whose proposer has said nothing and is not connected, while enough others are: a proposal takes
 * a fraction of a second, by whichever way, and a dead validator would cost the others the whole timeout each time that it is its
 * turn. Grows with the rounds, in case it is the time that is too short.
 */
export function absenceMs(round: number): number {
  return Math.min(3_000 * 2 ** round, roundTimeoutMs(round));
}
