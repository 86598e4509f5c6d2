import type { Chain, ExecutedBlock, HeadEvent } from "../../../../ledger/chain/chain.ts";
import { matches } from "../../../../ledger/chain/logs/log-search.ts";
import type { Log } from "../../../../protocol/block/receipt.ts";
import { eachLog } from "../../render/receipt.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { locateReceipts } from "../chain/views.ts";

/** Logs examined in one step. */
const STEP = 256;

/**
 * The logs that match in blocks that joined or left the chain; those of blocks that left come first and are `removed`. In
 * steps, for `runPaced`.
 */
export function* logsOfHead(
  chain: Chain,
  { added, removed }: HeadEvent,
  query: LogQuery,
): Generator<void, readonly WireObject[]> {
  const found: WireObject[] = [];
  for (const block of removed) yield* addLogs(found, chain, block, query, true);
  for (const block of added) yield* addLogs(found, chain, block, query, false);
  return found;
}

/** A log with its rendered form. */
interface ShownLog {
  readonly log: Log;
  readonly shown: WireObject;
}

/** Rendered logs of blocks that joined the chain, and of blocks that left it; shared by all filters. */
const shownLogs = [false, true].map(() => new WeakMap<ExecutedBlock, readonly ShownLog[]>());

function* addLogs(
  found: WireObject[],
  chain: Chain,
  executed: ExecutedBlock,
  query: LogQuery,
  removed: boolean,
): Generator<void> {
  if (!inRange(query, executed.block.header.number)) return;
  const cache = shownLogs[Number(removed)] as (typeof shownLogs)[number];
  let all = cache.get(executed);
  if (all === undefined) {
    all = yield* showLogs(chain, executed, removed);
    cache.set(executed, all);
  }
  for (const [i, { log, shown }] of all.entries()) {
    if (matches(query, log)) found.push(shown);
    if (i % STEP === STEP - 1) yield;
  }
}

function* showLogs(
  chain: Chain,
  { block, hash, receipts }: ExecutedBlock,
  removed: boolean,
): Generator<void, readonly ShownLog[]> {
  const located = { block, hash, header: block.header, rules: chain.rulesAt(block.header.number) };
  const all: ShownLog[] = [];
  for (const receipt of locateReceipts(located, receipts, chain.config.chainId)) {
    let i = 0;
    for (const shown of eachLog(receipt, removed)) {
      all.push({ log: receipt.receipt.logs[i++] as Log, shown });
      if (i % STEP === 0) yield;
    }
    yield;
  }
  return all;
}

function inRange({ fromBlock, toBlock }: LogQuery, number: bigint): boolean {
  const afterStart = typeof fromBlock !== "bigint" || number >= fromBlock;
  return afterStart && (typeof toBlock !== "bigint" || number <= toBlock);
}
