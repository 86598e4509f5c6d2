import type { Names } from "../../../../api/artifacts/names.ts";
import type { LiveEvent, TransactionRow } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Chain, ExecutedBlock, HeadEvent } from "../../../../ledger/chain/chain.ts";
import type { Cancel, Timers } from "../../../../platform/runtime/runtime.ts";
import { blockRow, placedIn, transactionRow } from "./rows.ts";

/** Blocks are reported in groups, at most this often: nobody reads a thousand a second. */
const GATHER_MS = 100;
/** Of those in between, only the newest are reported. */
const MAX_BLOCKS = 30;
const MAX_ROWS = 60;

/** The source of new heads. */
export interface HeadFeedParts {
  readonly chain: Pick<Chain, "config" | "onHead">;
  readonly names: Names;
  readonly timers: Timers;
}

/** Reports new blocks with their transactions to one listener. */
export function feedHeads(
  { chain, names, timers }: HeadFeedParts,
  emit: (event: LiveEvent) => void,
): () => void {
  let waiting: ExecutedBlock[] = [];
  let cancel: Cancel | undefined;
  const context = { chainId: chain.config.chainId, names };
  const tell = (): void => {
    cancel = undefined;
    const blocks = waiting.slice(-MAX_BLOCKS).reverse();
    waiting = [];
    if (blocks.length === 0) return;
    const rows: TransactionRow[] = [];
    for (const executed of blocks) {
      const last = executed.block.transactions.length - 1;
      for (let i = last; i >= 0 && rows.length < MAX_ROWS; i--)
        rows.push(transactionRow(placedIn(executed, i), context));
    }
    emit({ kind: "head", blocks: blocks.map(blockRow), rows });
  };
  const take = ({ added, removed }: HeadEvent): void => {
    if (removed.length > 0) {
      const numbers = removed.map(({ block }) => Number(block.header.number));
      const first = Math.min(...numbers);
      waiting = waiting.filter(({ block }) => Number(block.header.number) < first);
      emit({ kind: "removal", first, last: Math.max(...numbers) });
    }
    waiting.push(...added.slice(-MAX_BLOCKS));
    if (waiting.length > 2 * MAX_BLOCKS) waiting = waiting.slice(-MAX_BLOCKS);
    cancel ??= timers.schedule(GATHER_MS, tell);
  };
  const leave = chain.onHead(take);
  return () => {
    leave();
    cancel?.();
  };
}
