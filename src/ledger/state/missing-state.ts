/**
 * A part of a state that has not been fetched yet. Reads of a state are synchronous: if a part has to be fetched, the
 * read throws this, and the work is restarted once the part is available. It is no `NodeError`, so that nothing takes
 * it for an answer. Checks that go by a state do the same for other facts that take time, such as the verdict on a
 * blob.
 */
export class MissingState extends Error {
  override name = "MissingState";
  /** Fetches the part. */
  readonly load: () => Promise<void>;

  constructor(what: string, load: () => Promise<void>) {
    super(`${what} is not here yet`);
    this.load = load;
  }
}

/**
 * Runs an action over a state, retrying until nothing is missing. The action may run many times, so it must have no
 * effects before it returns.
 * @returns what the action returns; a promise only when something was missing
 * @throws what the action throws, and what keeps a part from being fetched
 */
export function retryUntilLoaded<T>(action: () => T | Promise<T>): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (error instanceof MissingState) return again(action, error);
    throw error;
  }
}

/** The same for an action that may take its time: a promise only where it did, or something was missing. */
export function completed<T>(action: () => T | Promise<T>): T | Promise<T> {
  const result = retryUntilLoaded(action);
  if (!(result instanceof Promise)) return result;
  return result.catch((error: unknown) => {
    if (error instanceof MissingState) return again(action, error);
    throw error;
  });
}

/** The same for an action that takes its time. */
export async function retryUntilLoadedAsync<T>(action: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof MissingState)) throw error;
      await error.load();
    }
  }
}

async function again<T>(action: () => T | Promise<T>, missing: MissingState): Promise<T> {
  await missing.load();
  return retryUntilLoadedAsync(action);
}
