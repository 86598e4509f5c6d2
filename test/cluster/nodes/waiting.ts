import { setTimeout as pause } from "node:timers/promises";
import type { ClusterNode } from "./nodes.ts";
import { ProgressDeadline } from "./progress-deadline.ts";

/**
 * Waits until something holds; an exception counts as false.
 * @param node - on which it depends: the deadline is extended while that node makes progress
 * @throws Error on timeout
 */
export async function until(check: () => boolean | Promise<boolean>, node?: ClusterNode): Promise<void> {
  for (const deadline = node?.deadline() ?? new ProgressDeadline(() => 0); !deadline.isOver; await pause(50))
    if (await Promise.resolve(check()).catch(() => false)) return;
  throw new Error(`timed out waiting for ${check}`);
}

/** The block number of a transaction, once mined. */
export async function blockOf(node: ClusterNode, hash: string): Promise<number> {
  let number: string | undefined;
  await until(async () => {
    const receipt = await node.call<{ blockNumber: string } | null>("eth_getTransactionReceipt", hash);
    number = receipt?.blockNumber;
    return receipt !== null;
  });
  return Number(number);
}
