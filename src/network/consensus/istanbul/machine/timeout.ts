/** Timeout of round 0, in milliseconds. */
const FIRST_ROUND_MS = 10_000;
/** 2³¹ − 1 ms, the longest delay of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

/** Timeout of a round: 10 s, plus 2^round s after the first (Istanbul as of Kaia v2.2.1). */
export function roundTimeoutMs(round: number): number {
  return round === 0 ? FIRST_ROUND_MS : Math.min(FIRST_ROUND_MS + 2 ** round * 1000, MAX_TIMER_MS);
}

/**
 * Timeout of a round whose proposer has sent nothing and is disconnected, while a quorum is connected: a proposal takes a fraction of a
 * second, by whatever route, and a dead validator would cost the others the full timeout whenever it is the proposer. Doubles with each
 * round, in case it is too short.
 */
export function absentProposerTimeoutMs(round: number): number {
  return Math.min(3_000 * 2 ** round, roundTimeoutMs(round));
}
