import { existsSync, readdirSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import { LARGE_FILE, readTextWithin } from "../../platform/intake/read-file.ts";
import type { GarbageCollector } from "../../platform/telemetry/garbage-collector.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";

/** Where Linux reports them. */
const IO_COUNTERS = "/proc/self/io";
const DESCRIPTORS = "/proc/self/fd";
const NS_PER_MS = 1e6;
const MICROSECONDS_PER_SECOND = 1e6;

/** Exposes metrics of the process: memory, CPU, disk, event loop. @returns ends it */
export function watchProcess(metrics: Metrics, collector: GarbageCollector): () => void {
  watchMemory(metrics, collector);
  watchHeap(metrics);
  watchResources(metrics);
  return watchEventLoop(metrics);
}

function watchMemory(metrics: Metrics, collector: GarbageCollector): void {
  metrics.gauge("system/memory/inuse", () => collector.memory().heap.used_heap_size);
  metrics.gauge("system/memory/pauses", () => Math.round(collector.collections().pauseMs * NS_PER_MS));
  metrics.rateOf("system/memory/collections", () => collector.collections().count);
  metrics.gauge("system/memory/resident", () => process.memoryUsage.rss());
  metrics.gauge("system/memory/external", () => process.memoryUsage().external);
  metrics.gauge("system/memory/buffers", () => process.memoryUsage().arrayBuffers);
}

/** V8's heap as a whole and by its spaces. */
function watchHeap(metrics: Metrics): void {
  const names = Object.keys(getHeapStatistics()) as (keyof ReturnType<typeof getHeapStatistics>)[];
  for (const name of names) metrics.gauge(`system/heap/${name}`, () => Number(getHeapStatistics()[name]));
  for (const [index, { space_name: space }] of getHeapSpaceStatistics().entries()) {
    const read = () => getHeapSpaceStatistics()[index];
    metrics.gauge(`system/heap/${space}/size`, () => read()?.space_size ?? 0);
    metrics.gauge(`system/heap/${space}/used`, () => read()?.space_used_size ?? 0);
    metrics.gauge(`system/heap/${space}/available`, () => read()?.space_available_size ?? 0);
    metrics.gauge(`system/heap/${space}/physical`, () => read()?.physical_space_size ?? 0);
  }
}

/** Bytes that this process read from or wrote to disk; 0 if the kernel does not report them. */
function ioCounter(name: string): number {
  try {
    const start = `${name}: `;
    const lines = readTextWithin(IO_COUNTERS, LARGE_FILE).split("\n");
    return Number(lines.find((line) => line.startsWith(start))?.slice(start.length) ?? 0);
  } catch {
    return 0;
  }
}

function watchResources(metrics: Metrics): void {
  const usage = () => process.resourceUsage();
  metrics.rateOf("system/disk/readcount", () => usage().fsRead);
  metrics.rateOf("system/disk/writecount", () => usage().fsWrite);
  if (existsSync(IO_COUNTERS)) {
    metrics.rateOf("system/disk/readdata", () => ioCounter("read_bytes"));
    metrics.rateOf("system/disk/writedata", () => ioCounter("write_bytes"));
  }
  metrics.gauge("system/cpu/user/seconds", () => usage().userCPUTime / MICROSECONDS_PER_SECOND);
  metrics.gauge("system/cpu/system/seconds", () => usage().systemCPUTime / MICROSECONDS_PER_SECOND);
  metrics.gauge(
    "system/cpu/seconds",
    () => (usage().userCPUTime + usage().systemCPUTime) / MICROSECONDS_PER_SECOND,
  );
  metrics.gauge("system/start/seconds", () => Math.round(performance.timeOrigin) / 1000);
  metrics.gauge("system/up", () => 1);
  if (existsSync(DESCRIPTORS)) metrics.gauge("system/descriptors", () => readdirSync(DESCRIPTORS).length);
  metrics.rateOf("system/faults/minor", () => usage().minorPageFault);
  metrics.rateOf("system/faults/major", () => usage().majorPageFault);
  metrics.rateOf("system/switches/voluntary", () => usage().voluntaryContextSwitches);
  metrics.rateOf("system/switches/involuntary", () => usage().involuntaryContextSwitches);
  metrics.gauge("system/handles", () => process.getActiveResourcesInfo().length);
}

/** The delay of timers in milliseconds, and the utilisation of the event loop. */
function watchEventLoop(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  metrics.gauge("system/eventloop/delay/mean", () => delay.mean / NS_PER_MS || 0);
  metrics.gauge("system/eventloop/delay/max", () => delay.max / NS_PER_MS);
  for (const percentile of [50, 95, 99])
    metrics.gauge(`system/eventloop/delay/p${percentile}`, () => delay.percentile(percentile) / NS_PER_MS);
  metrics.gauge("system/eventloop/utilization", () => performance.eventLoopUtilization().utilization);
  return () => delay.disable();
}
