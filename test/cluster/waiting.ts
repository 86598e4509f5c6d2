import { setTimeout as pause } from "node:timers/promises";
import type { ClusterNode } from "./nodes.ts";

const PATIENCE_MS = 60_000;

/** Waits until something holds; what it throws counts as no. @throws Error when it does not come to pass within a minute */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(50))
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
