import { setTimeout as pause } from "node:timers/promises";
import type { ClusterNode } from "./nodes.ts";
import { Patience } from "./patience.ts";

/**
 * Waits until something holds; what it throws counts as no.
 * @param node - on which it depends: as long as that one works, it is waited for longer
 * @throws Error when it does not come to pass
 */
export async function until(check: () => boolean | Promise<boolean>, node?: ClusterNode): Promise<void> {
  for (const patience = node?.patience() ?? new Patience(() => 0); !patience.isOver; await pause(50))
    if (await Promise.resolve(check()).catch(() => false)) return;
  throw new Error(`it did not come to pass: ${check}`);
}

/** Number of the block of a transaction, once it is in one. */
export async function blockOf(node: ClusterNode, hash: string): Promise<number> {
  let number: string | undefined;
  await until(async () => {
    const receipt = await node.call<{ blockNumber: string } | null>("eth_getTransactionReceipt", hash);
    number = receipt?.blockNumber;
    return receipt !== null;
  });
  return Number(number);
}
