import type { StoreUsage } from "../../ledger/state/state.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { CacheUsage } from "../../protocol/primitives/lru.ts";
import type { Ledger } from "../storage/ledger.ts";

/** Exposes the database and the caches above it, which keep their own counts. */
export function watchDatabase(metrics: Metrics, { chain, store }: Ledger): void {
  metrics.gauge("db/store/bytes", () => store.stats().storeBytes);
  metrics.gauge("db/log/bytes", () => store.stats().logBytes);
  metrics.gauge("db/waiting/bytes", () => store.stats().unflushedBytes);
  metrics.rateOf("db/log/records", () => store.use().log.records);
  metrics.rateOf("db/log/writes", () => store.use().log.writes);
  metrics.rateOf("db/log/written", () => store.use().log.bytes);
  metrics.rateOf("db/flushes", () => store.use().flushes);
  for (const name of store.use().tables.keys()) watchTable(metrics, name, () => store.use());
  watchCache(metrics, "state/cache/account", () => store.use().accounts);
  watchCache(metrics, "klay/cache/get/header", () => chain.cacheUsage.header);
  watchCache(metrics, "klay/cache/get/blockbody", () => chain.cacheUsage.body);
  watchCache(metrics, "klay/cache/get/blockreceipts", () => chain.cacheUsage.receipts);
}

function watchTable(metrics: Metrics, name: string, use: () => StoreUsage): void {
  const table = () => use().tables.get(name);
  const prefix = `db/table/${name}`;
  metrics.rateOf(`${prefix}/reads`, () => table()?.reads ?? 0);
  metrics.rateOf(`${prefix}/engine/reads`, () => table()?.engineReads ?? 0);
  metrics.rateOf(`${prefix}/writes`, () => table()?.writes ?? 0);
  metrics.gauge(`${prefix}/waiting/bytes`, () => table()?.unflushedBytes ?? 0);
}

function watchCache(metrics: Metrics, name: string, use: () => CacheUsage): void {
  metrics.rateOf(`${name}/hit`, () => use().hits);
  metrics.rateOf(`${name}/miss`, () => use().misses);
}
