import { constants, type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";
import {
  type GCProfiler,
  getHeapSpaceStatistics,
  getHeapStatistics,
  type HeapInfo,
  setFlagsFromString,
} from "node:v8";
import { runInNewContext } from "node:vm";

/** Number of collections kept, as in the Go runtime. */
const REMEMBERED = 256;
/** Heap growth in percent with which V8 hardly ever collects before its heap limit. */
const MAX_GROWTH_PERCENT = 100_000;
/** Growth, in bytes, of the buffers outside the heap after which V8 collects. */
const BUFFER_GROWTH = 64 * 1024 * 1024;
/** The kind of a collection of the whole heap. */
const FULL = constants.NODE_PERFORMANCE_GC_MAJOR;
/** Where V8 keeps objects that have survived its collections of new ones. */
const OLD_SPACES = new Set(["old_space", "large_object_space"]);
/** The percentage that stands for V8's default. */
const DEFAULT_PERCENT = 100;

/** One collection: when it ended, in epoch milliseconds with fractions, and how long it stopped the program. */
export interface Collection {
  readonly endMs: number;
  readonly pauseMs: number;
}

/** All collections since the start. */
export interface Collections {
  readonly count: number;
  /** Triggered by `collect`. */
  readonly forced: number;
  readonly pauseMs: number;
  /** The last 256, newest first. */
  readonly recent: readonly Collection[];
}

/** Memory of the process, bytes. */
export interface MemoryUse {
  readonly heap: HeapInfo;
  /** Resident set. */
  readonly resident: number;
  /**
   * Cumulative bytes allocated in the heap, from the first call on. Never decreases.
   */
  readonly allocated: number;
}

/** Memory of the heap and of buffers outside it, bytes. */
export interface Footprint {
  /** Objects and buffers, garbage included. */
  readonly allocated: number;
  /** Pages of old and large objects, with their gaps, and buffers. */
  readonly old: number;
  /** Pages of the space for new objects. */
  readonly young: number;
}

/** V8's garbage collector: observes and triggers collections, and tunes heap growth. */
export class GarbageCollector {
  readonly #observer = new PerformanceObserver((list) => this.#take(list.getEntries()));
  readonly #recent: Collection[] = [];
  #count = 0;
  #forced = 0;
  #pauseMs = 0;
  readonly #allocations = new Allocations();
  #percent = DEFAULT_PERCENT;
  /** Whether V8 optimises for size, until the collection ends that has begun. */
  #isCompacting = false;
  #collect: (() => void) | undefined;

  /** Starts counting. */
  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#observer.disconnect();
    this.#allocations.stop();
    this.#endCompacting();
  }

  /**
   * Forces full collections until nothing more becomes free, and returns free pages to the system, those of V8's space
   * for new objects too.
   */
  async collect(): Promise<void> {
    if (!(await collectAll())) {
      this.#collect ??= exposedCollector();
      this.#collect();
    }
    this.#forced++;
  }

  /**
   * Starts a full collection most of which runs beside the program, in other threads and small steps; V8 does so whenever buffers
   * outside the heap have grown by a certain amount. The one reserved for it here is never written to, so it takes no memory. Until the
   * collection ends V8 optimises for size, for it neither compacts a fragmented heap nor shrinks its space for new objects otherwise.
   * Does nothing where `setPercent` has disabled collection.
   */
  begin(): void {
    if (this.#percent < 0) return;
    this.#isCompacting = true;
    setFlagsFromString("--optimize-for-size");
    try {
      new ArrayBuffer(BUFFER_GROWTH);
    } catch {} // where not even that may be reserved, V8 has collected all there is
  }

  /** What the heap and the buffers outside it take from the system. */
  footprint(): Footprint {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    const footprint = { allocated: heapUsed + arrayBuffers, old: arrayBuffers, young: 0 };
    for (const { space_name, physical_space_size } of getHeapSpaceStatistics()) {
      if (OLD_SPACES.has(space_name)) footprint.old += physical_space_size;
      if (space_name === "new_space") footprint.young += physical_space_size;
    }
    return footprint;
  }

  collections(): Collections {
    this.#take(this.#observer.takeRecords());
    const { length } = this.#recent;
    const recent = this.#recent.slice(Math.max(0, length - REMEMBERED)).reverse();
    return { count: this.#count, forced: this.#forced, pauseMs: this.#pauseMs, recent };
  }

  memory(): MemoryUse {
    const heap = getHeapStatistics();
    return { heap, resident: process.memoryUsage.rss(), allocated: this.#allocations.total() };
  }

  /**
   * Sets by how many percent the old generation may grow between two collections; 100 leaves it to V8, a negative number
   * practically disables collection.
   * @returns the previous percentage, -1 for any negative one
   */
  setPercent(percent: number): number {
    const before = this.#percent;
    this.#percent = percent < 0 ? -1 : percent;
    setFlagsFromString(`--heap-growing-percent=${growthFlag(this.#percent)}`);
    return before;
  }

  #endCompacting(): void {
    if (!this.#isCompacting) return;
    this.#isCompacting = false;
    setFlagsFromString("--no-optimize-for-size");
  }

  #take(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration, detail } of entries as readonly CollectionEntry[]) {
      if (detail.kind === FULL) this.#endCompacting();
      this.#count++;
      this.#pauseMs += duration;
      this.#recent.push({ endMs: performance.timeOrigin + startTime + duration, pauseMs: duration });
    }
    if (this.#recent.length > 2 * REMEMBERED) this.#recent.splice(0, this.#recent.length - REMEMBERED);
  }
}

/** What Node says of a collection. */
interface CollectionEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

/** How often the records of collections, some 3 kB each, are drained. */
const TAKE_MS = 1_000;

/** The heap before and after a collection, bytes. */
interface CollectionRecord {
  readonly beforeGC: { readonly heapStatistics: { readonly usedHeapSize: number } };
  readonly afterGC: { readonly heapStatistics: { readonly usedHeapSize: number } };
}

/**
 * Sums up allocations, which V8 does not count: the heap growth between collections. Starts with the first call, since V8 has to
 * record every collection for it.
 */
class Allocations {
  #profiler: GCProfiler | undefined;
  #timer: NodeJS.Timeout | undefined;
  #total = 0;
  /** Used heap that the total already includes. */
  #counted = 0;

  total(): number {
    this.#take();
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#take(), TAKE_MS);
      this.#timer.unref();
    }
    this.#count(getHeapStatistics().used_heap_size);
    return this.#total;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#profiler?.stop();
    this.#profiler = undefined;
  }

  #take(): void {
    const { GCProfiler } = process.getBuiltinModule("node:v8");
    const records = (this.#profiler?.stop()?.statistics ?? []) as readonly CollectionRecord[];
    this.#profiler = new GCProfiler();
    this.#profiler.start();
    for (const { beforeGC, afterGC } of records) {
      this.#count(beforeGC.heapStatistics.usedHeapSize);
      this.#counted = afterGC.heapStatistics.usedHeapSize;
    }
  }

  #count(used: number): void {
    this.#total += Math.max(0, used - this.#counted);
    this.#counted = used;
  }
}

/** The value of V8's flag: 0 is its own choice, 1 the least growth. */
function growthFlag(percent: number): number {
  if (percent === DEFAULT_PERCENT) return 0;
  if (percent < 0) return MAX_GROWTH_PERCENT;
  return Math.min(Math.max(percent, 1), MAX_GROWTH_PERCENT);
}

/** Has V8 collect as if memory were low, through the inspector. @returns false where Node's permission model forbids that */
async function collectAll(): Promise<boolean> {
  const { Session } = process.getBuiltinModule("node:inspector/promises");
  const session = new Session();
  try {
    session.connect();
    await session.post("HeapProfiler.enable");
    await session.post("HeapProfiler.collectGarbage");
    return true;
  } catch {
    return false;
  } finally {
    session.disconnect();
  }
}

/** The `gc` function that V8 exposes to contexts created while its flag is set. */
function exposedCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
