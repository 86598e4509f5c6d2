import { createNode, type Node } from "../../node/create-node.ts";
import type { NodeOptions } from "../../node/node-options.ts";
import type { Terminal } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { runService, type ServiceSettings } from "./run-service.ts";

/**
 * Runs a node until the process gets a stop signal.
 * @param onReady - called once the node serves requests
 * @returns the exit code
 */
export function runNode(
  options: NodeOptions,
  values: ServiceSettings["values"],
  terminal: Terminal & { readonly beforeLog?: () => void },
  onReady: (node: Node) => void | Promise<void>,
): Promise<number> {
  let isOver = false;
  return runService(
    terminal,
    { dataDir: options.dataDir, values },
    {
      start: (logging) => createNode({ ...options, ...logging }),
      onReady,
      ended: async (node) => {
        await node.failed;
        isOver = true;
      },
      exitCode: (node) => (isOver ? ExitCode.fenced : isDamaged(node) ? ExitCode.damaged : ExitCode.done),
    },
  );
}

/** Whether the node's data was found damaged or removed, so that a supervisor should not simply restart it. */
function isDamaged(node: Node): boolean {
  const health = node.health();
  return !health.isReady && health.cause === "damage";
}
