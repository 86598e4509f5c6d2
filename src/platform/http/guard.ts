/** Runs one step of a connection, with an argument if it takes one. What it throws closes that connection and nothing else. */
export interface Guard {
  (step: () => void): void;
  <T>(step: (argument: T) => void, argument: T): void;
}

/**
 * The safety net of a connection. Every callback of a socket, timer or promise for a client goes through one: an
 * uncaught error would end the process.
 * @param end - ends the connection
 * @param onFault - called with what was thrown
 */
export function createGuard(end: () => void, onFault: (error: unknown) => void): Guard {
  return <T>(step: (argument: T) => void, argument?: T) => {
    try {
      step(argument as T);
    } catch (error) {
      quietly(end);
      quietly(() => onFault(error));
    }
  };
}

/** Continues with a step once a promise is fulfilled; like what the step throws, its rejection closes the connection and nothing else. */
export function continueWith<T>(promise: Promise<T>, guard: Guard, step: (value: T) => void): void {
  promise.then(
    (value) => guard(step, value),
    (error: unknown) => guard(rethrow, error),
  );
}

function rethrow(error: unknown): never {
  throw error;
}

/** Runs a last step whose failure can no longer be reported. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // What could not be closed or logged is left as it is; other connections continue.
  }
}
