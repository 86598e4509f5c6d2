/** Time limit for the console's own requests, which the user cannot interrupt. */
const PATIENCE_MS = 30_000;

/** @throws Error when a node takes too long */
export function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the node did not answer in ${PATIENCE_MS / 1000} seconds`)),
      PATIENCE_MS,
    );
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
