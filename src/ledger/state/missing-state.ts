/**
 * Thrown by a read of a state that has to be fetched first. Reads are synchronous, so the work is abandoned and
 * restarted once the missing part is available. Not a `NodeError`, so that no caller mistakes it for a result. Checks
 * over a state throw it for other slow facts too, such as whether a blob's proof is valid.
 */
export class MissingState extends Error {
  override name = "MissingState";
  /** Fetches the missing part. */
  readonly load: () => Promise<void>;

  constructor(what: string, load: () => Promise<void>) {
    super(`${what} is not here yet`);
    this.load = load;
  }
}

/**
 * Runs an action over a state, retrying until nothing is missing. The action may run many times, so it must have no
 * side effects before it returns.
 * @returns what the action returns; a promise only if something was missing
 * @throws what the action throws, and the errors of fetching
 */
export function retryUntilLoaded<T>(action: () => T | Promise<T>): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (error instanceof MissingState) return again(action, error);
    throw error;
  }
}

/**
 * As `retryUntilLoaded`, for an action that may be asynchronous: a promise only if it was, or if something was missing.
 * @param subject - given to the action, so that a call that succeeds at once needs no closure
 */
export function completed<S, T>(action: (subject: S) => T | Promise<T>, subject: S): T | Promise<T> {
  try {
    const result = action(subject);
    return result instanceof Promise ? completedLater(result, action, subject) : result;
  } catch (error) {
    return retried(action, subject, error);
  }
}

function completedLater<S, T>(
  result: Promise<T>,
  action: (subject: S) => T | Promise<T>,
  subject: S,
): Promise<T> {
  return result.catch((error: unknown) => retried(action, subject, error));
}

function retried<S, T>(action: (subject: S) => T | Promise<T>, subject: S, error: unknown): Promise<T> {
  if (error instanceof MissingState) return again(() => action(subject), error);
  throw error;
}

/** As `retryUntilLoaded`, always asynchronous. */
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
