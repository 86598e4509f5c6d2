/** Cooperative scheduling of long work that shares its thread: it checks often, and yields when its time is used up. */
export interface Pace {
  /** Whether it is time to yield. Cheap enough to be asked for each of many small steps. */
  isDue(): boolean;
  /**
   * Resolves after others had their turn. @throws to end the work: the caller is gone, or it took too long
   */
  giveWay(): Promise<void>;
}

/** Runs a generator at a pace, which may end it. @returns a promise only if it yielded */
export function atPace<T>(pace: Pace, steps: Iterator<void, T>): T | Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (pace.isDue()) return goOn(pace, steps);
  }
}

async function goOn<T>(pace: Pace, steps: Iterator<void, T>): Promise<T> {
  await pace.giveWay();
  return atPace(pace, steps);
}

/** Runs a generator to its end at once. */
export function atOnce<T>(steps: Iterator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
