/** Runs of each length; the fastest counts, to exclude other load on the machine. */
const RUNS = 15;
/** Milliseconds that count as negligible. */
const NEGLIGIBLE_MS = 1;

/**
 * How many times as long work takes on four times the input: about 4 if it is linear, 16 or more if it is quadratic.
 * @param work - processes an input of the given length
 * @param length - of the longer input
 */
export function growth(work: (length: number) => void, length: number): number {
  // the longer one first: warm-up would otherwise make it look cheap
  const [long, short] = [length, length >> 2].map((each) => {
    const times = Array.from({ length: RUNS }, () => {
      const began = performance.now();
      work(each);
      return performance.now() - began;
    });
    return Math.min(...times);
  }) as [number, number];
  return long < NEGLIGIBLE_MS ? 1 : long / Math.max(short, NEGLIGIBLE_MS / 4);
}
