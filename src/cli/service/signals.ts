import { ExitCode } from "../exit-codes.ts";

/** Signals that end a node: Ctrl-C, a service manager, a closed terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the first signal that ends the process; the second one exits at once. */
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
