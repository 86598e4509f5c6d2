import { ConsoleError } from "./errors.ts";

/** Time limit in seconds for the console's own requests, which the user cannot interrupt. */
const SECONDS = 30;

/** @throws ConsoleError CONSOLE_CONNECT when the node does not respond in time */
export function withTimeout<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ConsoleError("CONSOLE_CONNECT", `the node did not respond within ${SECONDS} seconds`)),
      SECONDS * 1000,
    );
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
