/** How long a node may take for what the console asks of its own accord; nobody could interrupt that. */
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
