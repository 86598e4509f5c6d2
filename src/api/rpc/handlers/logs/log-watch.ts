import type { Chain, HeadEvent } from "../../../../ledger/chain/chain.ts";
import { type Pace, runPaced } from "../../../../platform/runtime/turns/pace.ts";
import type { TimeSlice } from "../../../../platform/runtime/turns/time-slice.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { logsOfHead } from "./events.ts";

/** Called with the matching logs of each head change, a chunk at a time; also with none. */
type Take = (logs: readonly WireObject[]) => void;

interface Watcher {
  readonly query: LogQuery;
  readonly take: Take;
  readonly lose: () => void;
}

/** Logs delivered at a time: each may be serialized. */
const PIECE = 128;
/** Head changes waiting to be scanned. */
const MAX_WAITING = 64;
/** Milliseconds spent without yielding to scan those in excess. */
const MAX_CATCH_UP_MS = 50;

/**
 * Scans the logs of new blocks for all filters and subscriptions: thousands of filters and logs make millions of comparisons, which
 * run in time slices, one head change after the other. If blocks arrive faster than they can be scanned, all watchers are told
 * that they miss some.
 */
export class LogWatch {
  readonly #chain: Chain;
  readonly #pace: Pace;
  readonly #watchers = new Set<Watcher>();
  /** The watchers as a list that does not change; rebuilt when one joins or leaves. */
  #list: readonly Watcher[] | undefined;
  readonly #waiting: Generator<void, void>[] = [];
  #running: Promise<void> | undefined;
  #leaveChain: (() => void) | undefined;

  constructor(chain: Chain, slice: Pick<TimeSlice, "isDue" | "yield">) {
    this.#chain = chain;
    this.#pace = { isDue: () => slice.isDue(), yield: () => slice.yield("reads", this) };
  }

  /** Resolves once the logs of all blocks so far have been delivered; undefined when they have been. */
  get settled(): Promise<void> | undefined {
    return this.#running;
  }

  /**
   * Delivers the logs of blocks from now on.
   * @param lose - called when delivery ends because there is too much to scan
   * @returns the function that ends it
   */
  add(query: LogQuery, take: Take, lose: () => void): () => void {
    const watcher = { query, take, lose };
    this.#watchers.add(watcher);
    this.#list = undefined;
    this.#leaveChain ??= this.#chain.onHead((event) => this.#enqueue(event));
    return () => {
      this.#watchers.delete(watcher);
      this.#list = undefined;
      if (this.#watchers.size > 0) return;
      this.#leaveChain?.();
      this.#leaveChain = undefined;
    };
  }

  #enqueue(event: HeadEvent): void {
    this.#list ??= [...this.#watchers];
    this.#waiting.push(this.#scan(event, this.#list));
    if (this.#waiting.length > MAX_WAITING) this.#catchUp();
    if (this.#running === undefined) this.#run();
  }

  #catchUp(): void {
    const end = performance.now() + MAX_CATCH_UP_MS;
    let done = 0;
    for (const steps of this.#waiting) {
      while (steps.next().done !== true && performance.now() <= end);
      if (performance.now() > end) break;
      done++;
    }
    // The first one is removed by the run that is waiting to continue it.
    this.#waiting.splice(1, done - 1);
    if (this.#waiting.length > MAX_WAITING) this.#loseAll();
  }

  #loseAll(): void {
    const lost = [...this.#watchers];
    this.#watchers.clear();
    this.#list = undefined;
    this.#waiting.splice(1);
    for (const { lose } of lost) lose();
  }

  *#scan(event: HeadEvent, watchers: readonly Watcher[]): Generator<void, void> {
    for (const watcher of watchers) {
      if (!this.#watchers.has(watcher)) continue;
      const logs = yield* logsOfHead(this.#chain, event, watcher.query);
      for (let i = 0; i === 0 || i < logs.length; i += PIECE) {
        if (this.#watchers.has(watcher)) watcher.take(logs.slice(i, i + PIECE));
        yield;
      }
    }
  }

  /** What finishes within the time slice is delivered synchronously with the head event. */
  #run(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const looked = runPaced(this.#pace, first);
      if (looked instanceof Promise) {
        this.#running = looked.then(() => this.#resume());
        return;
      }
      this.#waiting.shift();
    }
  }

  /** The first head change has been scanned. */
  #resume(): Promise<void> | undefined {
    this.#waiting.shift();
    this.#running = undefined;
    this.#run();
    return this.#running;
  }
}
