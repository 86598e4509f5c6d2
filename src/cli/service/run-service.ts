import type { NodeSettings } from "../../node/options/index.ts";
import { createLogger, type Logger, type LogLevels } from "../../platform/telemetry/logger.ts";
import type { Terminal } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { ignoreOutputErrors } from "./closed-output.ts";
import { exitOnUncaughtErrors } from "./crashes.ts";
import { untilSignalled } from "./signals.ts";

/**
 * A node that has not stopped, or not even started, this long after the signal is killed; containers wait ten seconds
 * before they kill. Data on disk is consistent at any moment.
 */
const STOP_MS = 9000;

/** Something that runs until the process is asked to stop. */
export interface Service<T> {
  start(logging: { readonly logger: Logger; readonly logLevels: LogLevels }): Promise<T>;
  /** Called once it serves requests. */
  onReady(running: T): void | Promise<void>;
  /** Resolves when it ends by itself; absent = never. */
  ended?(running: T): Promise<unknown>;
  /** Called when it is to end, before it stops. */
  exitCode(running: T): number;
}

/** How a service logs, and where it writes a crash file. */
export interface ServiceSettings {
  readonly dataDir: string | undefined;
  readonly values: Pick<NodeSettings, "verbosity" | "logFormat">;
}

/**
 * Runs a service until the process gets a stop signal (SIGINT, SIGTERM, SIGHUP), even while it starts; a second signal ends the
 * process at once, an uncaught error with a crash file in the data folder.
 * @returns the exit code
 */
export async function runService<T extends { stop(): Promise<void> }>(
  { stdout, stderr, beforeLog }: Terminal & { readonly beforeLog?: () => void },
  { dataDir, values }: ServiceSettings,
  service: Service<T>,
): Promise<number> {
  ignoreOutputErrors(stdout, stderr);
  const { logger, ...logLevels } = createLogger({
    verbosity: values.verbosity,
    format: values.logFormat,
    now: Date.now,
    write: (line) => {
      beforeLog?.();
      stderr.write(line);
    },
  });
  let overdue: NodeJS.Timeout | undefined;
  const startKillTimer = (): void => {
    overdue ??= setTimeout(() => {
      logger.error("the node did not stop in time and is killed", { seconds: STOP_MS / 1000 });
      process.exit(ExitCode.failed);
    }, STOP_MS);
  };
  let signal: string | undefined;
  const signalled = untilSignalled().then((name) => {
    signal = name;
    startKillTimer();
    logger.info("stopping", { signal });
  });
  let running: T | undefined;
  let code: number = ExitCode.done;
  exitOnUncaughtErrors(dataDir, logger, async () => running?.stop());
  try {
    running = await service.start({ logger, logLevels });
    if (signal === undefined) await service.onReady(running);
    await Promise.race([signalled, service.ended?.(running) ?? signalled]);
    code = service.exitCode(running);
  } finally {
    startKillTimer();
    try {
      await running?.stop().catch((error) => {
        // The reason it ended matters more than failures that follow from it.
        if (code === ExitCode.done) throw error;
        logger.error("the node has not stopped cleanly", { error: (error as Error).message });
      });
    } finally {
      clearTimeout(overdue);
    }
  }
  return code;
}
