/** Runs of each length; the fastest counts, to exclude the machine's other load. */
const RUNS = 15;
/** Milliseconds that count as nothing. */
const NOTHING_MS = 1;

/**
 * How many times as long work takes on four times the input: about 4 if each part is visited once, 16 and more if
 * it is gone over again and again.
 * @param work - does it on an input of a length
 * @param length - of the longer input
 */
export function growth(work: (length: number) => void, length: number): number {
  // the longer one first: code compiled meanwhile would make it look cheap beside the other
  const [long, short] = [length, length >> 2].map((each) => {
    const times = Array.from({ length: RUNS }, () => {
      const began = performance.now();
      work(each);
      return performance.now() - began;
    });
    return Math.min(...times);
  }) as [number, number];
  return long < NOTHING_MS ? 1 : long / Math.max(short, NOTHING_MS / 4);
}
