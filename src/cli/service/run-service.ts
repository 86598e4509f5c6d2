import type { NodeSettings } from "../../node/options/index.ts";
import { createLogger, type Logger, type LogLevels } from "../../platform/telemetry/logger.ts";
import type { Terminal } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { outliveOutput } from "./closed-output.ts";
import { endOnDefects } from "./crashes.ts";
import { untilSignalled } from "./signals.ts";

/**
 * A node that has not stopped, or not even started, this long after the signal is killed; containers wait ten seconds
 * before they kill. What is on disk is whole.
 */
const STOP_MS = 9000;

/** What runs until the process is asked to stop. */
export interface Service<T> {
  start(logging: { readonly logger: Logger; readonly logLevels: LogLevels }): Promise<T>;
  /** Called once it answers. */
  onReady(running: T): void | Promise<void>;
  /** Resolves when it ends by itself; absent = it never does. */
  ended?(running: T): Promise<unknown>;
  /** Called on the signal to end, before it stops. */
  exitCode(running: T): number;
}

/** How a service logs, and where it leaves a crash file. */
export interface ServiceSettings {
  readonly dataDir: string | undefined;
  readonly values: Pick<NodeSettings, "verbosity" | "logFormat">;
}

/**
 * Runs a service until the process gets a stop signal (SIGINT, SIGTERM, SIGHUP), also while it starts; a second signal ends it at
 * once, a defect with a crash file in the data folder.
 * @returns the exit code
 */
export async function runService<T extends { stop(): Promise<void> }>(
  { stdout, stderr, beforeLog }: Terminal & { readonly beforeLog?: () => void },
  { dataDir, values }: ServiceSettings,
  service: Service<T>,
): Promise<number> {
  outliveOutput(stdout, stderr);
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
  const hurry = (): void => {
    overdue ??= setTimeout(() => {
      logger.error("the node did not stop in time and is killed", { seconds: STOP_MS / 1000 });
      process.exit(ExitCode.failed);
    }, STOP_MS);
  };
  let signal: string | undefined;
  const signalled = untilSignalled().then((name) => {
    signal = name;
    hurry();
    logger.info("stopping", { signal });
  });
  let running: T | undefined;
  let code: number = ExitCode.done;
  endOnDefects(dataDir, logger, async () => running?.stop());
  try {
    running = await service.start({ logger, logLevels });
    if (signal === undefined) await service.onReady(running);
    await Promise.race([signalled, service.ended?.(running) ?? signalled]);
    code = service.exitCode(running);
  } finally {
    hurry();
    try {
      await running?.stop().catch((error) => {
        // What it ended for says more than what does not work because of that.
        if (code === ExitCode.done) throw error;
        logger.error("the node has not stopped cleanly", { error: (error as Error).message });
      });
    } finally {
      clearTimeout(overdue);
    }
  }
  return code;
}
