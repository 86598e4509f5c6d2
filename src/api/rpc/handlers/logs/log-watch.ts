import type { Chain, HeadEvent } from "../../../../ledger/chain/chain.ts";
import { atOnce, atPace, type Pace } from "../../../../platform/runtime/turns/pace.ts";
import type { TimeSlice } from "../../../../platform/runtime/turns/time-slice.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { logsOfHead } from "./events.ts";

/** Called with the matching logs of each change of the head, a piece at a time; also with none. */
type Take = (logs: readonly WireObject[]) => void;

interface Watcher {
  readonly query: LogQuery;
  readonly take: Take;
}

/** Logs that are handed over at a time: each may be made a text of. */
const PIECE = 128;
/** Changes of the head that wait to be looked through. When there are more, all are looked through at a stretch. */
const MOST_WAITING = 64;

/**
 * Looks through the logs of new blocks for all who ask for some: thousands of filters and of logs make millions of comparisons,
 * which are made in turns with everything else, one change of the head after the other.
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

  constructor(chain: Chain, slice: Pick<TimeSlice, "isDue" | "giveWay">) {
    this.#chain = chain;
    this.#pace = { isDue: () => slice.isDue(), giveWay: () => slice.giveWay("readings", this) };
  }

  /** Resolves once the logs of all blocks so far were handed over; undefined when they have been. */
  get settled(): Promise<void> | undefined {
    return this.#running;
  }

  /** Has the logs of blocks from now on handed over. @returns the function that ends it */
  add(query: LogQuery, take: Take): () => void {
    const watcher = { query, take };
    this.#watchers.add(watcher);
    this.#list = undefined;
    this.#leaveChain ??= this.#chain.onHead((event) => this.#look(event));
    return () => {
      this.#watchers.delete(watcher);
      this.#list = undefined;
      if (this.#watchers.size > 0) return;
      this.#leaveChain?.();
      this.#leaveChain = undefined;
    };
  }

  #look(event: HeadEvent): void {
    this.#list ??= [...this.#watchers];
    this.#waiting.push(this.#lookThrough(event, this.#list));
    if (this.#waiting.length > MOST_WAITING) for (const steps of this.#waiting) atOnce(steps);
    if (this.#running === undefined) this.#run();
  }

  *#lookThrough(event: HeadEvent, watchers: readonly Watcher[]): Generator<void, void> {
    for (const watcher of watchers) {
      if (!this.#watchers.has(watcher)) continue;
      const logs = yield* logsOfHead(this.#chain, event, watcher.query);
      for (let i = 0; i === 0 || i < logs.length; i += PIECE) {
        if (this.#watchers.has(watcher)) watcher.take(logs.slice(i, i + PIECE));
        yield;
      }
    }
  }

  /** What ends within the slice is handed over before the event of the head is over. */
  #run(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const looked = atPace(this.#pace, first);
      if (looked instanceof Promise) {
        this.#running = looked.then(() => this.#goOn());
        return;
      }
      this.#waiting.shift();
    }
  }

  /** The first one has been looked through. */
  #goOn(): Promise<void> | undefined {
    this.#waiting.shift();
    this.#running = undefined;
    this.#run();
    return this.#running;
  }
}
