import { createNode, type Node } from "../node/create-node.ts";
import type { NodeOptions } from "../node/node-options.ts";
import type { NodeSettings } from "../node/options/index.ts";
import { createLogger } from "../platform/telemetry/logger.ts";
import type { Terminal } from "./command.ts";

/**
 * Runs a node until the process is told to end (SIGINT, SIGTERM); a second signal ends it at once.
 * @param onReady - called once the node answers
 * @returns the exit code
 */
export async function runNode(
  options: NodeOptions,
  settings: Pick<NodeSettings, "verbosity" | "logFormat">,
  { stderr }: Terminal,
  onReady: (node: Node) => void | Promise<void>,
): Promise<number> {
  const { logger, ...logLevels } = createLogger({
    verbosity: settings.verbosity,
    format: settings.logFormat,
    now: Date.now,
    write: (line) => void stderr.write(line),
  });
  const ended = signalled();
  const node = await createNode({ ...options, logger, logLevels });
  try {
    await onReady(node);
    const signal = await ended;
    logger.info("stopping", { signal });
  } finally {
    await node.stop();
  }
  return 0;
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    let first = true;
    const on = (signal: string): void => {
      if (!first) process.exit(130);
      first = false;
      resolve(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, on);
  });
}
