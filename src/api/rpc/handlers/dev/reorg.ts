import type { Json } from "../../../../protocol/codec/json/value.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import { type anvilReorg, MAX_REORG_DEPTH, MAX_REORG_TRANSACTIONS } from "../../spec/dev/reorg.ts";
import type { Handlers } from "../../spec/method.ts";
import { type Provider, rethrowCause } from "../../transports/provider.ts";
import type { DevControls } from "./dev-controls.ts";

/** What replacing blocks needs. */
export interface ReorgDeps extends Pick<DevControls, "sealing" | "chain"> {
  readonly request: Provider["request"];
}

/** The transactions of a new block, each raw or as the argument of `eth_sendTransaction`. */
type NewBlock = readonly Json[];

interface OldBlock {
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

/** Replaces the newest blocks by as many new ones, as when a longer branch wins. */
export function anvilReorgHandlers({ sealing, chain, request }: ReorgDeps): Handlers<typeof anvilReorg> {
  const ask = (method: string, ...params: unknown[]) => request({ method, params }).catch(rethrowCause);

  /** Without the drop, the transactions of the removed blocks would return to the pool. */
  async function remove(depth: bigint, head: bigint): Promise<void> {
    const removed = await Promise.all(
      Array.from({ length: Number(depth) }, (_, index) => {
        const number = head - depth + 1n + BigInt(index);
        return ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false) as Promise<OldBlock>;
      }),
    );
    await chain.rollback(depth);
    for (const { transactions } of removed) for (const hash of transactions) chain.drop(hexToBytes(hash));
    // With the same timestamp, the new block could be identical to the old one.
    const [first] = removed;
    if (first !== undefined) sealing.setNextTime(BigInt(first.timestamp) + 1n);
  }

  async function make(transactions: NewBlock): Promise<void> {
    for (const tx of transactions)
      await ask(typeof tx === "string" ? "eth_sendRawTransaction" : "eth_sendTransaction", tx);
    await sealing.seal(1);
  }

  return {
    async reorg({ depth, transactions = [] }) {
      const head = BigInt((await ask("eth_blockNumber")) as string);
      if (depth > head) throw refused(`the chain has ${head} blocks: ${depth} cannot be replaced`);
      const blocks = blocksOf(depth, transactions);
      const wasAutomatic = sealing.isAutomatic;
      sealing.setAutomatic(false);
      try {
        if (depth > 0n) await remove(depth, head);
        for (const block of blocks) await make(block);
      } finally {
        sealing.setAutomatic(wasAutomatic);
      }
      return null;
    },
  };
}

/** The transactions of each new block. @throws RpcError -32000 for too many, or for an index outside the new blocks */
function blocksOf(depth: bigint, pairs: readonly (readonly [Json, bigint])[]): readonly NewBlock[] {
  if (depth > MAX_REORG_DEPTH) throw refused(`at most ${MAX_REORG_DEPTH} blocks are replaced at once`);
  if (pairs.length > MAX_REORG_TRANSACTIONS)
    throw refused(`at most ${MAX_REORG_TRANSACTIONS} transactions at once`);
  const blocks: Json[][] = Array.from({ length: Number(depth) }, () => []);
  for (const [tx, index] of pairs) {
    const block = blocks[Number(index)];
    if (block === undefined)
      throw refused(`there is no new block ${index}: indexes start at 0 and are below ${depth}`);
    block.push(tx);
  }
  return blocks;
}
