/**
 * Part of a state that is not on this machine yet. Reads of a state are synchronous: where a part has to be fetched, the
 * read throws this, and what was at work begins anew once the part is there. It is no `NodeError`, so that nothing takes it
 * for an answer. Checks that go by a state do the same for other facts that take time, such as the verdict on a blob.
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
 * Runs an action over a state until nothing is missing. The action may be run many times, so it changes nothing but on its
 * way out.
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
