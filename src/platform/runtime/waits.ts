/** Work that may have to wait: each yielded function starts a wait, whose failure is thrown into the work. */
export type Waits<T> = Generator<() => Promise<void>, T, void>;

/** Runs work to its end. @returns a promise only if it had to wait */
export function overWaits<T>(work: Waits<T>): T | Promise<T> {
  const step = work.next();
  return step.done ? step.value : resume(work, step.value);
}

async function resume<T>(work: Waits<T>, first: () => Promise<void>): Promise<T> {
  for (let wait = first; ; ) {
    const step = await wait().then(
      () => work.next(),
      (error: unknown) => work.throw(error),
    );
    if (step.done) return step.value;
    wait = step.value;
  }
}

/** Runs work that never waits. */
export function withoutWaits<T>(work: Waits<T>): T {
  const step = work.next();
  if (step.done) return step.value;
  throw new Error("synchronous work tried to wait");
}
