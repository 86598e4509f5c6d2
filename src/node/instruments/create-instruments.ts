import { performance } from "node:perf_hooks";
import type { CallCounts } from "../../api/rpc/engine/server-options.ts";
import type { RuntimeDeps } from "../../api/rpc/handlers/debug/process/runtime.ts";
import type { RpcBudget } from "../../api/rpc/services/budget.ts";
import type { BlockTimers } from "../../ledger/chain/execute/block-processor.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { RoundWatch } from "../../network/consensus/istanbul/engine/round-watch.ts";
import type { Files } from "../../platform/runtime/files.ts";
import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import { DumpFolder } from "../../platform/telemetry/dump-folder.ts";
import { EventTrace } from "../../platform/telemetry/event-trace.ts";
import { GarbageCollector } from "../../platform/telemetry/garbage-collector.ts";
import { GarbageWatch } from "../../platform/telemetry/garbage-watch.ts";
import type { LogLevels } from "../../platform/telemetry/logger.ts";
import { LoopDelay } from "../../platform/telemetry/loop-delay.ts";
import { type Counter, Metrics } from "../../platform/telemetry/metrics.ts";
import { Profiler } from "../../platform/telemetry/profiler.ts";
import type { ClusterStatus } from "../cluster/cluster.ts";
import type { Ledger } from "../storage/ledger.ts";
import { createBlockTimers } from "./block-timers.ts";
import { createCallCounts } from "./call-counts.ts";
import { watchChain } from "./chain.ts";
import { watchClients } from "./clients.ts";
import { watchCluster } from "./cluster.ts";
import { watchDatabase } from "./database.ts";
import { createPeerMeters, type PeerMeters } from "./peers.ts";
import { watchPool } from "./pool.ts";
import { watchProcess } from "./process.ts";
import { watchRounds } from "./rounds.ts";
import { timedFiles } from "./timed-files.ts";

/** Metrics and diagnostics of a node. */
export interface Instruments extends RuntimeDeps {
  readonly blockTimers: BlockTimers;
  readonly calls: CallCounts;
  /** Those sent over HTTP or WebSocket. */
  readonly wrongPassphrases: Counter;
  /** Passphrases that were not checked, since too many were waiting. */
  readonly busyPassphrases: Counter;
  /** Of a validator among several. */
  readonly rounds: RoundWatch;
  readonly peers: PeerMeters;
  /** The files of a ledger, with its syncs timed. */
  timedFiles(files: Files): Files;
  /** Exposes the target of the current download. @param target - undefined while nothing is downloaded */
  watchSync(target: () => bigint | undefined): void;
  /** Exposes how many accounts are unlocked. */
  watchKeys(unlocked: () => number): void;
  /** Exposes what the clients of all listeners use, and has the memory of their responses collected. */
  watchClients(budget: RpcBudget): void;
  /** Exposes whether something that must be on disk cannot be written, or is damaged. */
  watchDisks(isFailing: () => boolean): void;
  /** Exposes a node's role beside its change log. */
  watchCluster(status: () => ClusterStatus): void;
  /** Exposes metrics of a ledger and its pool. */
  watch(ledger: Ledger, pool: ChainTransactionPool): void;
  stop(): void;
}

/** Used where the logger's level cannot be changed. */
const FIXED_LEVELS: LogLevels = { setVerbosity: () => {}, setRooms: () => {}, isOn: () => false };
/** The interval at which moving averages take in new counts. */
const POLL_MS = 5_000;

/** Creates the metrics of a node and starts to watch the process. Names are those of the reference node where they mean the same. */
export function createInstruments(
  { clock, timers }: Runtime,
  levels: LogLevels = FIXED_LEVELS,
  dumpDir?: string,
): Instruments {
  const elapsed = () => performance.now();
  const metrics = new Metrics({ now: () => clock.now(), elapsed });
  const collector = new GarbageCollector();
  collector.start();
  const delay = new LoopDelay();
  const startMs = clock.elapsed();
  const stopped: (() => void)[] = [
    () => collector.stop(),
    () => delay.sample(false),
    watchProcess(metrics, collector),
  ];
  let poll: Cancel = () => {};
  const pollLater = (): void => {
    poll = timers.schedule(POLL_MS, () => {
      metrics.poll();
      pollLater();
    });
  };
  return {
    metrics,
    collector,
    levels,
    dumps: new DumpFolder(dumpDir),
    profiler: new Profiler(),
    trace: new EventTrace(),
    delay,
    uptime: () => clock.elapsed() - startMs,
    after: (delayMs, callback) => timers.schedule(delayMs, callback),
    blockTimers: createBlockTimers(metrics),
    calls: createCallCounts(metrics),
    wrongPassphrases: metrics.counter("wallet/passphrase/wrong"),
    busyPassphrases: metrics.counter("wallet/passphrase/busy"),
    rounds: watchRounds(metrics),
    peers: createPeerMeters(metrics),
    timedFiles: (files) => timedFiles(files, metrics.timer("db/log/sync"), elapsed),
    watchSync(target) {
      const head = () => Number(metrics.value("blockchain/head/blocknumber"));
      metrics.gauge("sync/target/blocknumber", () => Math.max(head(), Number(target() ?? 0n)));
    },
    watchKeys: (unlocked) => metrics.gauge("wallet/unlocked", unlocked),
    watchClients(budget) {
      watchClients(metrics, budget);
      const footprint = () => collector.footprint();
      const used = () => budget.unsent.total + budget.bodies.used;
      stopped.push(new GarbageWatch({ footprint, used, begin: () => collector.begin() }).start());
    },
    watchDisks: (isFailing) => metrics.gauge("db/failing", () => Number(isFailing())),
    watchCluster: (status) => watchCluster(metrics, status),
    watch(ledger, pool) {
      watchPool(metrics, pool);
      watchDatabase(metrics, ledger);
      stopped.push(watchChain(metrics, ledger, () => clock.now()));
      pollLater();
    },
    stop() {
      poll();
      for (const stop of stopped) stop();
    },
  };
}
