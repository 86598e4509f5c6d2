/** Bytes that are worth a collection. */
const WORTH = 16 * 1024 * 1024;
/** Bytes of change between two looks up to which a process counts as idle. */
const IDLE_CHANGE = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK_MS = 3_000;
/** Looks, a minute of them, between two collections of a process that is never idle. */
const BUSY_LOOKS = 20;

/** What is measured, and what is done about it. */
export interface Collecting {
  /** Bytes of what only a full collection frees, in use or not. */
  held(): number;
  /** Bytes of it that are known to be in use. */
  used(): number;
  /** Starts a collection. */
  begin(): void;
}

/**
 * Has a process collect its garbage when it is idle, and now and then while it works. V8 collects when memory is allocated: after a
 * storm of long responses hundreds of megabytes of buffers would stay until somebody asks for as much again, and under steady light
 * load a heap of 55 MiB grows for half an hour, by 40 MiB, before it is collected as a whole.
 */
export class GarbageWatch {
  readonly #collecting: Collecting;
  /** Bytes not known to be in use: at the last look, and the least since the last collection. */
  #last = Number.POSITIVE_INFINITY;
  #least = 0;
  #hasBegun = true;
  /** Looks since the last collection. */
  #looks = 0;

  constructor(collecting: Collecting) {
    this.#collecting = collecting;
  }

  /** Looks at intervals until the returned function is called. The timer keeps no process alive. */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Begins a collection if much has become garbage, and either nothing is going on or the last one was long ago. */
  look(): void {
    const bytes = this.#collecting.held() - this.#collecting.used();
    const isIdle = Math.abs(bytes - this.#last) < IDLE_CHANGE;
    this.#last = bytes;
    this.#least = this.#hasBegun ? bytes : Math.min(this.#least, bytes);
    this.#looks++;
    this.#hasBegun = bytes - this.#least > WORTH && (isIdle || this.#looks >= BUSY_LOOKS);
    if (!this.#hasBegun) return;
    this.#looks = 0;
    this.#collecting.begin();
  }
}
