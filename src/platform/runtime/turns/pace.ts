/** Cooperative scheduling of long-running work: it checks often, and yields when its time slice is used up. */
export interface Pace {
  /** Whether it is time to yield. Cheap enough to be checked at every small step. */
  isDue(): boolean;
  /**
   * Resolves after other work had a turn. @throws to end the work: the caller has disconnected, or it took too long
   */
  yield(): Promise<void>;
}

/** Runs a generator, yielding to other work when due. @returns a promise only if it yielded @throws any error of the pace */
export function runPaced<T>(pace: Pace, steps: Iterator<unknown, T>): T | Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (pace.isDue()) return resume(pace, steps);
  }
}

async function resume<T>(pace: Pace, steps: Iterator<unknown, T>): Promise<T> {
  await pace.yield();
  return runPaced(pace, steps);
}

/** Runs a generator to its end without yielding. */
export function runSync<T>(steps: Iterator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
