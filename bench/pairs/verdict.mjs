// The verdict on pairs of figures: how far one side is ahead, and whether that is more than noise.

/** A row has changed if its ratio differs from 1 by more than this, and significantly so. */
const MIN_CHANGE = 0.03;
/** Confidence of the interval in which the median lies. */
const CONFIDENCE = 0.95;

/**
 * Compares figures that were taken in pairs; more is better.
 * @returns the median of the ratios `after / before`, the interval in which it lies with a confidence of 95 %, and a verdict
 */
export function compare(before, after) {
  const ratios = before.map((figure, i) => after[i] / figure).sort((a, b) => a - b);
  const [low, high] = interval(ratios);
  const ratio = median(ratios);
  const isLess = high < 1 && ratio < 1 - MIN_CHANGE;
  const isMore = low > 1 && ratio > 1 + MIN_CHANGE;
  return { ratio, low, high, verdict: isLess ? "fell" : isMore ? "rose" : "same" };
}

/** The median of numbers in any order. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * By order statistics: each value is below the median as likely as above it, whatever their distribution. Fewer than six
 * values cannot be sure: the interval has no ends then.
 */
function interval(sorted) {
  const { length } = sorted;
  let cut = 0;
  // Probability that at most `cut` of the values lie on one side, times two sides.
  for (let tail = 2 * binomial(length, 0); tail <= 1 - CONFIDENCE; tail += 2 * binomial(length, cut)) cut++;
  if (cut === 0) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [sorted[cut - 1], sorted[length - cut]];
}

/** Probability of `k` heads among `n` fair coins. */
function binomial(n, k) {
  let value = 0.5 ** n;
  for (let i = 0; i < k; i++) value = (value * (n - i)) / (i + 1);
  return value;
}
