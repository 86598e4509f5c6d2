import type { RunBudget } from "../../../../ledger/evm/evm.ts";
import { WorkTime } from "../../../../platform/runtime/turns/work-time.ts";
import { limitExceeded } from "../../engine/errors.ts";

/** Maximum time for executions between two polls of the sockets. */
const TURN_MS = 4;
/** Time spent before the next turn is scheduled: small calls need none. */
const UNCOUNTED_MS = 1;
/**
 * The first executions of a process load and compile what they need: this many may take longer, each this long and
 * all together that long, on top of the time of a turn. Executions that arrived together still run together, so that a
 * fork can batch its reads.
 */
const WARM_UP = { executions: 100, sliceMs: 25, allMs: 250 };
/** Maximum executions waiting for a turn: about 0.4 s of typical ones. */
const MAX_WAITING = 10_000;
/** Nothing is started with less time left in the turn. */
const MIN_MS = 0.5;
/** Maximum gas of a precompiled contract on the main thread: about a millisecond of the most expensive one. */
const PRECOMPILE_GAS = 10_000n;

/** Shares the main thread between execution and everything else. */
export class Turns {
  readonly #sliceMs: number;
  readonly #waiting: (() => void)[] = [];
  #leftMs = TURN_MS;
  #isNextAsked = false;
  #begun = 0;
  #warmUpMs = WARM_UP.allMs;
  #isCold = false;
  #begunMs = 0;
  readonly #time = new WorkTime();
  readonly #budget: RunBudget = {
    isSpent: () => this.#time.isSpent(),
    precompileGas: PRECOMPILE_GAS,
  };

  /** @param sliceMs - maximum time of one execution; 0 = nothing is executed on the main thread */
  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  /** Whether anything is executed on the main thread. */
  get isOpen(): boolean {
    return this.#sliceMs > 0;
  }

  /** Begins an execution, which `end` must end in the same turn; undefined if the time of this turn is used up. */
  begin(): RunBudget | undefined {
    this.#isCold = this.#begun < WARM_UP.executions && this.#warmUpMs > 0;
    if (!this.#isCold && this.#leftMs < MIN_MS) return undefined;
    this.#begun++;
    this.#begunMs = this.#time.begin(this.#isCold ? WARM_UP.sliceMs : Math.min(this.#sliceMs, this.#leftMs));
    return this.#budget;
  }

  /** Counts time that the result of this execution will take, in the same turn, after its end. */
  charge(ms: number): void {
    if (this.#isCold) this.#warmUpMs -= ms;
    else this.#leftMs -= ms;
  }

  /** @returns how long it took, milliseconds */
  end(): number {
    const tookMs = performance.now() - this.#begunMs;
    if (this.#isCold) this.#warmUpMs -= tookMs;
    else this.#leftMs -= tookMs;
    if (this.#leftMs < TURN_MS - UNCOUNTED_MS) this.#askNext();
    return tookMs;
  }

  /** Resolves in a turn with time left, first come, first served. @throws RpcError -32005 when too many wait */
  next(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(limitExceeded(`too many calls are queued: ${MAX_WAITING}`));
    this.#askNext();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #askNext(): void {
    if (this.#isNextAsked) return;
    this.#isNextAsked = true;
    setImmediate(() => void this.#turn());
  }

  /** Runs waiting executions one by one, as long as there is time. */
  async #turn(): Promise<void> {
    this.#isNextAsked = false;
    this.#leftMs = TURN_MS;
    while (this.#leftMs >= MIN_MS) {
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      resolve();
      await undefined;
    }
    if (this.#waiting.length > 0) this.#askNext();
  }
}
