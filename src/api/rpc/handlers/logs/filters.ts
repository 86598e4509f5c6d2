import { randomBytes } from "node:crypto";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import type { Allowance } from "../../../../platform/http/budget.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { refused } from "../../engine/errors.ts";
import type { RpcBudget } from "../../services/budget.ts";
import type { filters, LogQuery } from "../../spec/logs/filters.ts";
import type { Handlers } from "../../spec/method.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { HashFeed } from "./hash-feed.ts";
import { checkLiveRange, type LogReader } from "./log-reader.ts";
import type { LogWatch } from "./log-watch.ts";

const LIFETIME_MS = 5 * 60 * 1000;
/** Maximum logs that a filter collects between polls; beyond that it is dropped. */
const MAX_COLLECTED = 100_000;
/** Estimated memory of a log without its data, in bytes. */
const LOG_BYTES = 1_024;
/** Estimated memory of an address or a topic of a filter, in bytes. */
const TERM_BYTES = 250;

/** The items collected for a filter since the last poll. */
interface Collection {
  /** @returns undefined if some of them were lost */
  take(): readonly (WireObject | string)[] | undefined;
  end(): void;
}

/** The filter that items are collected for. */
interface Collector {
  /** Whether it still exists: one that is not polled is dropped. */
  isOpen(): boolean;
  drop(): void;
}

interface Filter {
  readonly query?: LogQuery;
  /** Bytes of its arguments. */
  readonly size: number;
  readonly collection: Collection;
  askedAt: number;
}

/** What filters need. */
export interface FilterDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly logs: LogReader;
  readonly watch: LogWatch;
  readonly budget: Pick<RpcBudget, "filters" | "filterBytes" | "collected">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The logs collected for one filter, which is dropped when there are too many. */
export class CollectedLogs implements Collection {
  readonly #filter: Collector;
  readonly #allowance: Allowance;
  readonly #leave: () => void;
  #logs: WireObject[] = [];
  /** Estimated bytes of them. */
  #bytes = 0;

  constructor(
    filter: Collector,
    allowance: Allowance,
    listen: (collect: (logs: readonly WireObject[]) => void) => () => void,
  ) {
    this.#filter = filter;
    this.#allowance = allowance;
    this.#leave = listen((logs) => this.#collect(logs));
  }

  take(): readonly WireObject[] {
    const logs = this.#logs;
    this.#clear();
    return logs;
  }

  end(): void {
    this.#leave();
    this.#clear();
  }

  #collect(logs: readonly WireObject[]): void {
    if (!this.#filter.isOpen()) return;
    const bytes = logs.reduce((sum, log) => sum + bytesOf(log), 0);
    if (this.#logs.length + logs.length > MAX_COLLECTED || !this.#allowance.take(bytes)) {
      this.#filter.drop();
      return;
    }
    for (const log of logs) this.#logs.push(log);
    this.#bytes += bytes;
  }

  #clear(): void {
    this.#allowance.give(this.#bytes);
    this.#logs = [];
    this.#bytes = 0;
  }
}

/**
 * The polled filters of one namespace. A filter that is not polled for five minutes, or that collects too much, is dropped: its
 * owner gets `filter not found`.
 */
export class FilterSet {
  /** Ordered by their last poll. */
  readonly #filters = new Map<string, Filter>();
  readonly #deps: Pick<FilterDeps, "budget" | "now">;

  constructor(deps: Pick<FilterDeps, "budget" | "now">) {
    this.#deps = deps;
  }

  /**
   * Starts to collect items for a new filter.
   * @returns its id
   * @throws RpcError -32000 when the node's budget for filters is used up
   */
  open(collect: (filter: Collector) => Collection, query?: LogQuery): string {
    this.dropExpired();
    const size = sizeOf(query);
    this.#take(size);
    const id = `0x${BigInt(`0x${randomBytes(16).toString("hex")}`).toString(16)}`;
    const collection = collect({ isOpen: () => this.#isOpen(id), drop: () => void this.close(id) });
    this.#filters.set(id, { collection, size, askedAt: this.#deps.now(), ...(query && { query }) });
    return id;
  }

  /** The items collected since the last poll. @throws RpcError -32000 `filter not found` */
  changes(id: string): readonly (WireObject | string)[] {
    const collected = this.#find(id).collection.take();
    if (collected !== undefined) return collected;
    this.close(id);
    throw refused("filter not found");
  }

  /** Criteria of a log filter. @throws RpcError -32000 `filter not found`, also for other filters */
  query(id: string): LogQuery {
    const { query } = this.#find(id);
    if (query === undefined) throw refused("filter not found");
    return query;
  }

  /** Removes a filter. @returns whether it existed */
  close(id: string): boolean {
    const filter = this.#filters.get(id);
    if (filter === undefined) return false;
    this.#filters.delete(id);
    const { budget } = this.#deps;
    budget.filters.give();
    budget.filterBytes.give(filter.size);
    filter.collection.end();
    return true;
  }

  #take(size: number): void {
    const { filters, filterBytes } = this.#deps.budget;
    if (!filters.take()) throw refused("too many filters");
    if (filterBytes.take(size)) return;
    filters.give();
    throw refused("the filters of this node are too large");
  }

  #find(id: string): Filter {
    this.dropExpired();
    const filter = this.#filters.get(id);
    if (filter === undefined) throw refused("filter not found");
    filter.askedAt = this.#deps.now();
    this.#filters.delete(id);
    this.#filters.set(id, filter);
    return filter;
  }

  #isOpen(id: string): boolean {
    this.dropExpired();
    return this.#filters.has(id);
  }

  /** Drops the filters that have not been polled for five minutes. */
  dropExpired(): void {
    const oldest = this.#deps.now() - LIFETIME_MS;
    for (const [id, { askedAt }] of this.#filters) {
      if (askedAt >= oldest) return;
      this.close(id);
    }
  }
}

function bytesOf(log: WireObject): number {
  return LOG_BYTES + String(log["data"] ?? "").length;
}

function sizeOf(query: LogQuery | undefined): number {
  if (query === undefined) return 0;
  const terms = query.topics.reduce((sum, topics) => sum + topics.length, query.addresses.length);
  return TERM_BYTES * terms;
}

/** Polled filters and `getLogs`. */
export function filterHandlers(deps: FilterDeps): Handlers<typeof filters> {
  const { chain, pool, logs, watch, budget } = deps;
  const open = new FilterSet(deps);
  const blocks = new HashFeed(
    (take) =>
      chain.onHead(({ added }) => {
        open.dropExpired();
        take(added.map(({ hash }) => bytesToHex(hash)));
      }),
    budget.collected,
  );
  const pending = new HashFeed(
    (take) =>
      pool.onPending((txs) => {
        open.dropExpired();
        take(txs.map((tx) => bytesToHex(transactionHash(tx))));
      }),
    budget.collected,
  );
  return {
    newFilter({ filter }) {
      checkLiveRange(filter);
      const collect = (one: Collector) =>
        new CollectedLogs(one, budget.collected, (take) => watch.add(filter, take, () => one.drop()));
      return open.open(collect, filter);
    },
    newBlockFilter: () => open.open(() => blocks.open()),
    newPendingTransactionFilter: () => open.open(() => pending.open()),
    getFilterChanges: ({ id }) => watch.settled?.then(() => open.changes(id)) ?? open.changes(id),
    getFilterLogs: ({ id }, context) => logs.find(open.query(id), context),
    uninstallFilter: ({ id }) => open.close(id),
    getLogs: ({ filter }, context) => logs.find(filter, context),
  };
}
