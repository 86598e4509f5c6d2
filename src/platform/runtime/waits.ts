/**
 * Work that now and then has to wait: each step that it yields begins the waiting. What that fails with is thrown where the
 * work stands.
 */
export type Waits<T> = Generator<() => Promise<void>, T, void>;

/** Does work to its end. @returns a promise only where it had to wait */
export function overWaits<T>(work: Waits<T>): T | Promise<T> {
  const step = work.next();
  return step.done ? step.value : goOn(work, step.value);
}

async function goOn<T>(work: Waits<T>, first: () => Promise<void>): Promise<T> {
  for (let wait = first; ; ) {
    const step = await wait().then(
      () => work.next(),
      (error: unknown) => work.throw(error),
    );
    if (step.done) return step.value;
    wait = step.value;
  }
}

/** Does work that never waits. */
export function withoutWaits<T>(work: Waits<T>): T {
  const step = work.next();
  if (step.done) return step.value;
  throw new Error("work that must not wait did");
}
