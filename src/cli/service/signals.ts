import { ExitCode } from "../exit-codes.ts";

/** What tells a node to end: Ctrl-C, a service manager, a terminal that was closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the first signal that tells the process to end; the second one ends it at once. */
export function untilSignalled(): Promise<string> {
  return new Promise((resolve) => {
    let isFirst = true;
    const on = (signal: string): void => {
      if (!isFirst) process.exit(ExitCode.interrupted);
      isFirst = false;
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, on);
  });
}
