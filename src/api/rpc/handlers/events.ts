import type { Chain, ExecutedBlock, HeadEvent } from "../../../ledger/chain/chain.ts";
import { matches } from "../../../ledger/chain/logs/log-search.ts";
import { renderLogs } from "../render/receipt.ts";
import type { LogQuery } from "../spec/filters.ts";
import type { WireObject } from "../spec/wire-types.ts";
import { locateReceipts } from "./views.ts";

/**
 * The logs that match in blocks that joined or left the chain; those of blocks that left come first and are `removed`.
 */
export function logsOfHead(chain: Chain, { added, removed }: HeadEvent, query: LogQuery): WireObject[] {
  return [
    ...removed.flatMap((block) => logsOf(chain, block, query, true)),
    ...added.flatMap((block) => logsOf(chain, block, query, false)),
  ];
}

function logsOf(
  chain: Chain,
  { block, hash, receipts }: ExecutedBlock,
  query: LogQuery,
  removed: boolean,
): WireObject[] {
  if (!inRange(query, block.header.number)) return [];
  const located = { block, hash, header: block.header, rules: chain.rulesAt(block.header.number) };
  return locateReceipts(located, receipts, chain.config.chainId).flatMap((receipt) => {
    const rendered = renderLogs(receipt, removed);
    return rendered.filter((_, i) => matches(query, receipt.receipt.logs[i] as never));
  });
}

function inRange({ fromBlock, toBlock }: LogQuery, number: bigint): boolean {
  const afterStart = typeof fromBlock !== "bigint" || number >= fromBlock;
  return afterStart && (typeof toBlock !== "bigint" || number <= toBlock);
}
