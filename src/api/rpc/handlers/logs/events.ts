import type { Chain, ExecutedBlock, HeadEvent } from "../../../../ledger/chain/chain.ts";
import { matches } from "../../../../ledger/chain/logs/log-search.ts";
import type { Log } from "../../../../protocol/block/receipt.ts";
import { renderLogs } from "../../render/receipt.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { locateReceipts } from "../chain/views.ts";

/**
 * The logs that match in blocks that joined or left the chain; those of blocks that left come first and are `removed`.
 */
export function logsOfHead(chain: Chain, { added, removed }: HeadEvent, query: LogQuery): WireObject[] {
  return [
    ...removed.flatMap((block) => logsOf(chain, block, query, true)),
    ...added.flatMap((block) => logsOf(chain, block, query, false)),
  ];
}

/** A log with the form that it is shown in. */
interface ShownLog {
  readonly log: Log;
  readonly shown: WireObject;
}

/** The logs of blocks that joined the chain, and of those that left it: built once for all listeners. */
const shownLogs = [false, true].map(() => new WeakMap<ExecutedBlock, readonly ShownLog[]>());

function logsOf(chain: Chain, executed: ExecutedBlock, query: LogQuery, removed: boolean): WireObject[] {
  if (!inRange(query, executed.block.header.number)) return [];
  const cache = shownLogs[Number(removed)] as (typeof shownLogs)[number];
  let all = cache.get(executed);
  if (all === undefined) {
    all = showLogs(chain, executed, removed);
    cache.set(executed, all);
  }
  return all.filter(({ log }) => matches(query, log)).map(({ shown }) => shown);
}

function showLogs(chain: Chain, { block, hash, receipts }: ExecutedBlock, removed: boolean): ShownLog[] {
  const located = { block, hash, header: block.header, rules: chain.rulesAt(block.header.number) };
  return locateReceipts(located, receipts, chain.config.chainId).flatMap((receipt) => {
    const rendered = renderLogs(receipt, removed);
    return receipt.receipt.logs.map((log, i) => ({ log, shown: rendered[i] as WireObject }));
  });
}

function inRange({ fromBlock, toBlock }: LogQuery, number: bigint): boolean {
  const afterStart = typeof fromBlock !== "bigint" || number >= fromBlock;
  return afterStart && (typeof toBlock !== "bigint" || number <= toBlock);
}
