import type { Footprint } from "./garbage-collector.ts";

/** Growth in bytes that is worth a collection. */
const WORTH = 16 * 1024 * 1024;
/** Bytes by which memory may change between two looks of an idle process. */
const IDLE_CHANGE = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK_MS = 3_000;
/** Looks, of a minute in all, between two collections of a process that is never idle. */
const BUSY_LOOKS = 20;

/** The memory that is watched, and what collects its garbage. */
export interface WatchedMemory {
  footprint(): Footprint;
  /** Bytes of buffers that are known to be in use, and need no collection. */
  used(): number;
  /** Starts a collection. */
  begin(): void;
}

/**
 * Has a process collect its garbage once its memory has grown by 16 MiB: within seconds when it is idle, once a minute at most while it
 * works. V8 collects only when memory is allocated: after a storm of long responses hundreds of megabytes of buffers would stay until
 * somebody asks for as much again, after one of short messages 32 MiB for new objects; and under steady light load a heap of 55 MiB
 * takes 95, in pages that are half empty.
 */
export class GarbageWatch {
  readonly #memory: WatchedMemory;
  /** Bytes allocated at the last look. */
  #allocated = Number.POSITIVE_INFINITY;
  /** The least number of bytes not known to be in use since the last collection. */
  #least = 0;
  #hasBegun = true;
  /** Looks since the last collection. */
  #looks = 0;

  constructor(memory: WatchedMemory) {
    this.#memory = memory;
  }

  /** Looks at intervals until the returned function is called. The timer keeps no process alive. */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /**
   * Begins a collection if memory has grown by much since the last one, and nothing is going on or that was a minute ago. The space for
   * new objects counts in an idle process only, as it soon grows again in one that works.
   */
  look(): void {
    const { allocated, old, young } = this.#memory.footprint();
    const isIdle = Math.abs(allocated - this.#allocated) < IDLE_CHANGE;
    this.#allocated = allocated;
    const bytes = old - this.#memory.used() + (isIdle ? young : 0);
    this.#least = this.#hasBegun ? bytes : Math.min(this.#least, bytes);
    this.#looks++;
    this.#hasBegun = bytes - this.#least > WORTH && (isIdle || this.#looks >= BUSY_LOOKS);
    if (!this.#hasBegun) return;
    this.#looks = 0;
    this.#memory.begin();
  }
}
