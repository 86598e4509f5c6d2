import type { HeadEvent } from "../../ledger/chain/chain.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Header } from "../../protocol/block/header.ts";
import { decodeIstanbulExtra, roundOf } from "../../protocol/block/istanbul-extra.ts";
import type { Ledger } from "../storage/ledger.ts";

/** Histogram buckets for the gas and transactions of blocks. */
const GAS_BOUNDS = [0, 21_000, 1e5, 1e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9];
const COUNT_BOUNDS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/** Exposes metrics of a chain and counts its blocks. @param now - epoch milliseconds @returns ends it */
export function watchChain(metrics: Metrics, ledger: Ledger, now: () => number): () => void {
  const { chain, importer, extensions } = ledger;
  const head = () => chain.head.header;
  metrics.gauge("blockchain/head/blocknumber", () => Number(head().number));
  // blocks sealed by a committee are final
  metrics.gauge("chain/final/blocknumber", () => Number(head().number));
  metrics.gauge("sync/target/blocknumber", () => Number(head().number)); // until there are peers
  metrics.gauge("consensus/istanbul/core/committedSeals", () => sealsOf(head()));
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
  const gasOfBlock = metrics.histogram("chain/block/gas", GAS_BOUNDS);
  const sizeOfBlock = metrics.histogram("chain/block/transactions", COUNT_BOUNDS);
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
      gasOfBlock.observe(Number(block.header.gasUsed));
      sizeOfBlock.observe(count);
      gas.mark(Number(block.header.gasUsed));
      logs.mark(receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0));
      failed.add(receipts.reduce((sum, { status }) => sum + (status === 1 ? 0 : 1), 0));
      newest = count;
    }
  });
}

/** Committed seals of a block; none of the genesis block. */
function sealsOf({ number, extra }: Header): number {
  return number === 0n ? 0 : decodeIstanbulExtra(extra).committedSeals.length;
}
