import type {
  Collection,
  Collections,
  GarbageCollector,
} from "../../../../../platform/telemetry/garbage-collector.ts";
import type { WireObject } from "../../../spec/values/wire-types.ts";

/** Length of the rings in Go's MemStats. */
const RING = 256;

/** Collections in the form of Go's `debug.GCStats`. */
export function gcStats({ count, pauseMs, recent }: Collections): WireObject {
  return {
    LastGC: rfc3339(recent[0]?.endMs ?? 0),
    NumGC: count,
    PauseTotal: nanoseconds(pauseMs),
    Pause: recent.map((collection) => nanoseconds(collection.pauseMs)),
    PauseEnd: recent.map(({ endMs }) => rfc3339(endMs)),
    PauseQuantiles: null,
  };
}

/**
 * Memory in the form of Go's `runtime.MemStats`. What V8 does not count is 0; `docs/reference/debug-runtime.md` says what
 * each member means here.
 * @param uptimeMs - age of the process
 */
export function memStats(collector: GarbageCollector, uptimeMs: number): WireObject {
  const { heap, resident, allocated } = collector.memory();
  const { count, forced, pauseMs, recent } = collector.collections();
  return {
    Alloc: heap.used_heap_size,
    TotalAlloc: allocated,
    Sys: resident,
    Lookups: 0,
    Mallocs: 0,
    Frees: 0,
    HeapAlloc: heap.used_heap_size,
    HeapSys: heap.total_heap_size,
    HeapIdle: heap.total_heap_size - heap.used_heap_size,
    HeapInuse: heap.used_heap_size,
    HeapReleased: Math.max(0, heap.total_heap_size - heap.total_physical_size),
    HeapObjects: 0,
    StackInuse: 0,
    StackSys: 0,
    MSpanInuse: 0,
    MSpanSys: 0,
    MCacheInuse: 0,
    MCacheSys: 0,
    BuckHashSys: 0,
    GCSys: heap.malloced_memory,
    OtherSys: heap.external_memory,
    NextGC: heap.heap_size_limit,
    LastGC: epochNanoseconds(recent[0]),
    PauseTotalNs: nanoseconds(pauseMs),
    PauseNs: ring(count, recent, 0, (collection) => nanoseconds(collection.pauseMs)),
    PauseEnd: ring(count, recent, 0, epochNanoseconds),
    NumGC: count,
    NumForcedGC: forced,
    GCCPUFraction: uptimeMs > 0 ? pauseMs / uptimeMs : 0,
    EnableGC: true,
    DebugGC: false,
    BySize: [{ Size: 0, Mallocs: 0, Frees: 0 }],
  };
}

/** The newest collection stands at `(count + 255) % 256`. */
function ring<T>(
  count: number,
  recent: readonly Collection[],
  empty: T,
  show: (collection: Collection) => T,
): T[] {
  const places = new Array<T>(RING).fill(empty);
  for (const [age, collection] of recent.entries())
    places[(count + RING - 1 - age) % RING] = show(collection);
  return places;
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/** To about a quarter of a microsecond: no clock here is finer. */
function epochNanoseconds(collection: Collection | undefined): number {
  return nanoseconds(collection?.endMs ?? 0);
}

/** With nanoseconds, trailing zeros cut, as Go writes times. */
function rfc3339(epochMs: number): string {
  const second = Math.floor(epochMs / 1000) * 1000;
  const fraction = String(nanoseconds(epochMs - second))
    .padStart(9, "0")
    .replace(/0+$/, "");
  const whole = new Date(second).toISOString().slice(0, 19);
  return fraction === "" ? `${whole}Z` : `${whole}.${fraction}Z`;
}
