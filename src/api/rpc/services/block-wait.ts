import type { Timers } from "../../../platform/runtime/runtime.ts";

/** The chain whose blocks requests wait for. */
export interface AwaitedChain {
  readonly head: { readonly header: { readonly number: bigint } };
  onHead(listener: () => void): () => void;
}

/** Limits of waiting. */
export interface WaitLimits {
  /** Milliseconds that one request waits. */
  readonly ms: number;
  /** Maximum concurrent waiting requests; further ones are answered without waiting. */
  readonly max: number;
}

const DEFAULT_WAITS: WaitLimits = { ms: 2_000, max: 1_024 };

interface Waiting {
  readonly number: bigint;
  end(isThere: boolean): void;
}

/** Lets requests wait for a while until this node has a block, so that clients of a follower can read their own writes. */
export class BlockWait {
  readonly #chain: AwaitedChain;
  readonly #timers: Timers;
  readonly #limits: WaitLimits;
  readonly #waiting = new Set<Waiting>();
  readonly #unwatch: () => void;

  constructor(chain: AwaitedChain, timers: Timers, limits: WaitLimits = DEFAULT_WAITS) {
    this.#chain = chain;
    this.#timers = timers;
    this.#limits = limits;
    this.#unwatch = chain.onHead(() => this.#check());
  }

  /** Number of the newest block. */
  get head(): bigint {
    return this.#chain.head.header.number;
  }

  /** Whether the node has, or gets in time, a block of this number. */
  reaches(number: bigint): boolean | Promise<boolean> {
    if (number <= this.head) return true;
    if (this.#waiting.size >= this.#limits.max) return false;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        number,
        end: (isThere) => {
          cancel();
          this.#waiting.delete(waiting);
          resolve(isThere);
        },
      };
      const cancel = this.#timers.schedule(this.#limits.ms, () => waiting.end(false));
      this.#waiting.add(waiting);
    });
  }

  /** Releases all waiting requests: the block is not there. */
  close(): void {
    this.#unwatch();
    for (const waiting of this.#waiting) waiting.end(false);
  }

  #check(): void {
    if (this.#waiting.size === 0) return;
    const { head } = this;
    for (const waiting of this.#waiting) if (waiting.number <= head) waiting.end(true);
  }
}
