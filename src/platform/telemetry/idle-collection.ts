/** Bytes of buffers that are worth a collection. */
const WORTH = 16 * 1024 * 1024;
/** Bytes of change between two looks up to which a process counts as idle. */
const IDLE_CHANGE = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK_MS = 3_000;

/** What is measured, and what is done about it. */
export interface Collecting {
  /** Bytes of all buffers outside the heap, uncollected ones included. */
  held(): number;
  /** Bytes of those that are known to be in use. */
  used(): number;
  /** Starts a collection. */
  begin(): void;
}

/**
 * Has a process collect garbage once it is idle again. V8 collects when memory is allocated: after a storm of long responses
 * hundreds of megabytes of buffers would stay until somebody asks for as much again.
 */
export class IdleCollection {
  readonly #collecting: Collecting;
  /** Bytes neither collected nor known to be in use: at the last look, and the least since the last collection. */
  #last = Number.POSITIVE_INFINITY;
  #least = 0;
  #hasBegun = true;

  constructor(collecting: Collecting) {
    this.#collecting = collecting;
  }

  /** Looks at intervals until the returned function is called. The timer keeps no process alive. */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Begins a collection if much has become garbage, and nothing is going on. */
  look(): void {
    const bytes = this.#collecting.held() - this.#collecting.used();
    const isIdle = Math.abs(bytes - this.#last) < IDLE_CHANGE;
    this.#last = bytes;
    this.#least = this.#hasBegun ? bytes : Math.min(this.#least, bytes);
    this.#hasBegun = isIdle && bytes - this.#least > WORTH;
    if (this.#hasBegun) this.#collecting.begin();
  }
}
