/** The pace of long work that shares its thread: it looks up often, and lets others go on when its time is used up. */
export interface Pace {
  /** Whether it is time to give way. Cheap enough to be asked for each of many small steps. */
  isDue(): boolean;
  /** Resolves when others had their turn. @throws what ends the work: nobody waits for it any more, it took too long */
  giveWay(): Promise<void>;
}

/** Does the steps of a generator at a pace, which may end it. @returns a promise only where it gave way */
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

/** Does all the steps of a generator at once. */
export function atOnce<T>(steps: Iterator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
