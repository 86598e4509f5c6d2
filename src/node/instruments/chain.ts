import type { HeadEvent } from "../../ledger/chain/chain.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { roundOf } from "../../protocol/block/istanbul-extra.ts";
import type { Ledger } from "../storage/ledger.ts";

/** Exposes metrics of a chain and counts its blocks. @param now - epoch milliseconds @returns ends it */
export function watchChain(metrics: Metrics, ledger: Ledger, now: () => number): () => void {
  const { chain, importer, extensions } = ledger;
  const head = () => chain.head.header;
  metrics.gauge("blockchain/head/blocknumber", () => Number(head().number));
  metrics.gauge("chain/head/age", () => Math.max(0, now() / 1000 - Number(head().time)));
  metrics.gauge("chain/basefee", () => Number(head().baseFee ?? 0n));
  metrics.total("blockchain/bad/block/counter", () => importer.badBlocks.list().length);
  metrics.gauge("consensus/istanbul/core/currentRound", () => roundOf(head().extra));
  const council = () => extensions.validators.council(head().number + 1n).length;
  metrics.gauge("consensus/istanbul/core/councilSize", council);
  const committee = () => extensions.validators.committee(head().number + 1n, 0).length;
  metrics.gauge("consensus/istanbul/core/committeeSize", committee);
  const sequence = metrics.meter("consensus/istanbul/core/sequence");
  const rounds = metrics.meter("consensus/istanbul/core/round");
  const inserts = metrics.meter("chain/inserts");
  const removed = metrics.counter("chain/reorganised/blocks");
  const age = metrics.timer("chain/age");
  const gas = metrics.meter("chain/gas");
  const size = metrics.meter("chain/transactions");
  const logs = metrics.meter("chain/logs");
  const failed = metrics.counter("chain/transactions/failed");
  const transactions = metrics.counter("blockchain/block/tx/counter");
  let newest = 0;
  metrics.gauge("blockchain/block/tx/gauge", () => newest);
  return chain.onHead((event: HeadEvent) => {
    removed.add(event.removed.length);
    inserts.mark(event.added.length);
    sequence.mark(event.added.length);
    for (const { block, receipts } of event.added) {
      const count = block.transactions.length;
      age.update(Math.max(0, now() - Number(block.header.time) * 1000));
      rounds.mark(1 + roundOf(block.header.extra));
      transactions.add(count);
      size.mark(count);
      gas.mark(Number(block.header.gasUsed));
      logs.mark(receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0));
      failed.add(receipts.reduce((sum, { status }) => sum + (status === 1 ? 0 : 1), 0));
      newest = count;
    }
  });
}
