import { createNode, type Node } from "../node/create-node.ts";
import type { NodeOptions } from "../node/node-options.ts";
import type { NodeSettings } from "../node/options/index.ts";
import { createLogger } from "../platform/telemetry/logger.ts";
import { outliveOutput } from "./closed-output.ts";
import type { Terminal } from "./command.ts";
import { endOnDefects } from "./crashes.ts";
import { ExitCode } from "./exit-codes.ts";
import { untilSignalled } from "./signals.ts";

/**
 * A node that has not stopped, or not even started, so long after it was told to end is ended; containers wait ten seconds
 * before they kill. What is on disk is whole.
 */
const STOP_MS = 9000;

/**
 * Runs a node until the process is told to end (SIGINT, SIGTERM, SIGHUP), also while it starts; a second signal ends it at once, a defect with a crash
 * file in the data folder.
 * @param onReady - called once the node answers
 * @returns the exit code
 */
export async function runNode(
  options: NodeOptions,
  settings: Pick<NodeSettings, "verbosity" | "logFormat">,
  { stdout, stderr, beforeLog }: Terminal & { readonly beforeLog?: () => void },
  onReady: (node: Node) => void | Promise<void>,
): Promise<number> {
  outliveOutput(stdout, stderr);
  const { logger, ...logLevels } = createLogger({
    verbosity: settings.verbosity,
    format: settings.logFormat,
    now: Date.now,
    write: (line) => {
      beforeLog?.();
      stderr.write(line);
    },
  });
  let overdue: NodeJS.Timeout | undefined;
  const hurry = (): void => {
    overdue ??= setTimeout(() => {
      logger.error("the node did not stop in time and is ended", { seconds: STOP_MS / 1000 });
      process.exit(ExitCode.failed);
    }, STOP_MS);
  };
  let signal: string | undefined;
  const signalled = untilSignalled().then((name) => {
    signal = name;
    hurry();
    logger.info("stopping", { signal });
  });
  let node: Node | undefined;
  let code: number = ExitCode.done;
  endOnDefects(options.dataDir, logger, async () => node?.stop());
  try {
    node = await createNode({ ...options, logger, logLevels });
    if (signal === undefined) await onReady(node);
    await signalled;
    if (isDamaged(node)) code = ExitCode.damaged;
  } finally {
    hurry();
    try {
      await node?.stop();
    } finally {
      clearTimeout(overdue);
    }
  }
  return code;
}

/** Whether what a node runs on was found damaged or removed, so that who starts it again looks first. */
function isDamaged(node: Node): boolean {
  const health = node.health();
  return !health.isReady && health.cause === "damage";
}
