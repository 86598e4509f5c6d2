/** Does one step of a connection's work. What it throws ends that connection and nothing else. */
export type Guard = (step: () => void) => void;

/**
 * The net under a connection. Everything that a socket, a timer or a promise calls for a client goes through one: an error that
 * reaches nobody would end the process.
 * @param end - ends the connection
 * @param onFault - told of what was thrown
 */
export function createGuard(end: () => void, onFault: (error: unknown) => void): Guard {
  return (step) => {
    try {
      step();
    } catch (error) {
      quietly(end);
      quietly(() => onFault(error));
    }
  };
}

/** Brings the reason of a rejection into a guard. */
export function rethrow(error: unknown): never {
  throw error;
}

/** For the last steps: there is nobody left to tell. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // What could not be ended or noted is left as it is; other connections go on.
  }
}
