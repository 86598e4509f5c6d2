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
  /** Bytes that only a full collection frees, in use or not. */
  held(): number;
  /** Those of them that are known to be in use, and need no collection. */
  used(): number;
  /** Starts a collection. */
  begin(): void;
}

/**
 * Has a process collect its garbage once memory has grown by 16 MiB: within seconds when it is idle, once a minute at most while it
 * works. V8 collects only when memory is allocated: after a storm of long responses hundreds of megabytes of buffers would stay until
 * somebody asks for as much again, and under steady light load a heap of 55 MiB grows for half an hour, by 40 MiB, before all of it is
 * collected.
 */
export class GarbageWatch {
  readonly #memory: WatchedMemory;
  /** Bytes not known to be in use: at the last look, and the least since the last collection. */
  #last = Number.POSITIVE_INFINITY;
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

  /** Begins a collection if memory has grown by much since the last one, and nothing is going on or that was a minute ago. */
  look(): void {
    const bytes = this.#memory.held() - this.#memory.used();
    const isIdle = Math.abs(bytes - this.#last) < IDLE_CHANGE;
    this.#last = bytes;
    this.#least = this.#hasBegun ? bytes : Math.min(this.#least, bytes);
    this.#looks++;
    this.#hasBegun = bytes - this.#least > WORTH && (isIdle || this.#looks >= BUSY_LOOKS);
    if (!this.#hasBegun) return;
    this.#looks = 0;
    this.#memory.begin();
  }
}
