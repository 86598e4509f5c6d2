/** Elements sorted in one step, which takes some two milliseconds. */
const RUN = 1024;
/** Elements merged in one step. */
const MERGED = 2048;

/** A stable sort in steps, for `runPaced`. */
export function* mergeSort<T>(
  elements: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < elements.length; at += RUN) {
    runs.push(elements.slice(at, at + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[]> {
  if (right.length === 0) return left;
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const isLeft = j >= right.length || (i < left.length && compare(left[i] as T, right[j] as T) <= 0);
    merged.push((isLeft ? left[i++] : right[j++]) as T);
    if (merged.length % MERGED === 0) yield;
  }
  return merged;
}
