import { performance } from "node:perf_hooks";
import type { RuntimeDeps } from "../api/rpc/handlers/debug/runtime.ts";
import type { CallCounts } from "../api/rpc/server.ts";
import type { BlockTimers } from "../ledger/chain/block-processor.ts";
import type { HeadEvent } from "../ledger/chain/chain.ts";
import type { TransactionPool } from "../ledger/txpool/pool.ts";
import type { Runtime } from "../platform/runtime/runtime.ts";
import { GarbageCollector } from "../platform/telemetry/garbage-collector.ts";
import type { LogLevels } from "../platform/telemetry/logger.ts";
import { type Counter, type Meter, Metrics } from "../platform/telemetry/metrics.ts";
import { Profiler } from "../platform/telemetry/profiler.ts";
import type { Ledger } from "./ledger.ts";

/** What observes a node. */
export interface Instruments extends RuntimeDeps {
  readonly blockTimers: BlockTimers;
  readonly calls: CallCounts;
  /** Over a port. */
  readonly wrongPassphrases: Counter;
  /** Bytes from and to peers; for who moves them. */
  readonly traffic: { readonly inbound: Meter; readonly outbound: Meter };
  /** Starts to read a ledger and its pool. */
  watch(ledger: Ledger, pool: TransactionPool): void;
  stop(): void;
}

/** Where a logger has no knob there is nothing to turn. */
const FIXED_LEVELS: LogLevels = { setVerbosity: () => {}, setRooms: () => {} };

/** Creates the metrics of a node and starts to watch the process. Names are those of the reference node where they mean the same. */
export function createInstruments({ clock, timers }: Runtime, levels: LogLevels = FIXED_LEVELS): Instruments {
  const metrics = new Metrics({ now: () => clock.now(), elapsed: () => performance.now() });
  const collector = new GarbageCollector();
  collector.start();
  const startMs = clock.now();
  const stopped: (() => void)[] = [() => collector.stop()];
  watchProcess(metrics, collector);
  return {
    metrics,
    collector,
    levels,
    profiler: new Profiler(),
    uptime: () => clock.now() - startMs,
    after: (delayMs, callback) => void timers.schedule(delayMs, callback),
    blockTimers: {
      process: metrics.timer("chain/process"),
      validate: metrics.timer("chain/validate"),
      finalize: metrics.timer("chain/finalize"),
      build: metrics.timer("miner/block/mining/time"),
    },
    calls: {
      total: metrics.counter("rpc/counts/total"),
      success: metrics.counter("rpc/counts/success"),
      errors: metrics.counter("rpc/counts/errors"),
    },
    wrongPassphrases: metrics.counter("wallet/passphrase/wrong"),
    traffic: {
      inbound: metrics.meter("p2p/InboundTraffic"),
      outbound: metrics.meter("p2p/OutboundTraffic"),
    },
    watch(ledger, pool) {
      watchPool(metrics, pool);
      stopped.push(watchChain(metrics, ledger));
    },
    stop() {
      for (const stop of stopped) stop();
    },
  };
}

function watchProcess(metrics: Metrics, collector: GarbageCollector): void {
  metrics.gauge("system/memory/inuse", () => collector.memory().heap.used_heap_size);
  metrics.gauge("system/memory/pauses", () => Math.round(collector.collections().pauseMs * 1e6));
}

/** Reading the pool when asked costs nothing in between. */
function watchPool(metrics: Metrics, pool: TransactionPool): void {
  metrics.gauge("tx/pool/pending/gauge", () => pool.status().pending);
  metrics.gauge("tx/pool/queue/gauge", () => pool.status().queued);
  const slots = () => pool.status().pending + pool.status().queued;
  metrics.gauge("txpool/slots", slots);
}

function watchChain(metrics: Metrics, { chain, importer, store }: Ledger): () => void {
  metrics.gauge("blockchain/head/blocknumber", () => Number(chain.head.header.number));
  metrics.gauge("chain/basefee", () => Number(chain.head.header.baseFee ?? 0n));
  metrics.gauge("blockchain/bad/block/counter", () => importer.badBlocks.list().length);
  metrics.gauge("db/store/bytes", () => store.stats().storeBytes);
  metrics.gauge("db/log/bytes", () => store.stats().logBytes);
  metrics.gauge("db/waiting/bytes", () => store.stats().waitingBytes);
  const inserts = metrics.meter("chain/inserts");
  const transactions = metrics.counter("blockchain/block/tx/counter");
  let newest = 0;
  metrics.gauge("blockchain/block/tx/gauge", () => newest);
  return chain.onHead(({ added }: HeadEvent) => {
    inserts.mark(added.length);
    for (const { block } of added) transactions.add(block.transactions.length);
    newest = added.at(-1)?.block.transactions.length ?? newest;
  });
}
