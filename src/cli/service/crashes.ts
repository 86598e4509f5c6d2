import type { Logger } from "../../platform/telemetry/logger.ts";
import { ExitCode } from "../exit-codes.ts";
import { writeCrashFile } from "./crash-file.ts";

/** Maximum time for a node to shut down after an unexpected error. */
const SHUTDOWN_MS = 5000;

/**
 * Ends the process with exit code 70 on an uncaught error: state in memory may be inconsistent, while what is on disk
 * is consistent at any moment. A crash file records it.
 * @param folder - where crash files go; undefined = nowhere, as with a chain in memory
 * @param stop - shuts the node down, as far as possible
 */
export function exitOnUncaughtErrors(
  folder: string | undefined,
  logger: Logger,
  stop: () => Promise<void>,
): void {
  let isEnding = false;
  const end = (cause: string) => (error: unknown) => {
    if (isEnding) return;
    isEnding = true;
    process.exitCode = ExitCode.crashed;
    const exit = (): never => process.exit(ExitCode.crashed);
    logger.crit("the node hit an internal error and exits", { cause, error });
    try {
      if (folder !== undefined)
        logger.crit("see the crash file", { file: writeCrashFile(folder, cause, error) });
    } catch (failure) {
      logger.error("the crash file could not be written", { error: failure });
    }
    setTimeout(exit, SHUTDOWN_MS).unref();
    stop().then(exit, exit);
  };
  process.on("uncaughtException", end("uncaught exception"));
  process.on("unhandledRejection", end("unhandled rejection"));
}
