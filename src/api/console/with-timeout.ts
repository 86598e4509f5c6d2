/** Time limit for the console's own requests, which the user cannot interrupt. */
const TIMEOUT_MS = 30_000;

/** @throws Error when the node does not respond in time */
export function withTimeout<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the node did not respond within ${TIMEOUT_MS / 1000} seconds`)),
      TIMEOUT_MS,
    );
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
