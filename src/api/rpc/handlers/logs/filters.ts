import { randomBytes } from "node:crypto";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { refused } from "../../engine/errors.ts";
import type { RpcBudget } from "../../services/budget.ts";
import type { filters, LogQuery } from "../../spec/logs/filters.ts";
import type { Handlers } from "../../spec/method.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { checkLiveRange, type LogReader } from "./log-reader.ts";
import type { LogWatch } from "./log-watch.ts";

const LIFETIME_MS = 5 * 60 * 1000;
/** Maximum items that a filter collects between polls; beyond that it is dropped. */
const MAX_COLLECTED = 100_000;
/** Estimated memory of a hash, and of a log without its data, in bytes. */
const HASH_BYTES = 128;
const LOG_BYTES = 1_024;
/** Estimated memory of an address or a topic of a filter, in bytes. */
const TERM_BYTES = 250;

interface Filter {
  readonly query?: LogQuery;
  /** Bytes of its arguments. */
  readonly size: number;
  readonly end: () => void;
  collected: (WireObject | string)[];
  /** Estimated bytes of them. */
  bytes: number;
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

/** The polled filters of one namespace. A filter that is not polled for five minutes is dropped. */
export class FilterSet {
  readonly #filters = new Map<string, Filter>();
  readonly #deps: FilterDeps;

  constructor(deps: FilterDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to collect the items that `listen` delivers.
   * @returns its id
   * @throws RpcError -32000 when the node's budget for filters is used up
   */
  open(
    listen: (collect: (items: readonly (WireObject | string)[]) => void) => () => void,
    query?: LogQuery,
  ): string {
    this.#forgetOld();
    const size = sizeOf(query);
    this.#take(size);
    const id = `0x${BigInt(`0x${randomBytes(16).toString("hex")}`).toString(16)}`;
    const end = listen((items) => this.#collect(id, items));
    const empty = { collected: [], bytes: 0, askedAt: this.#deps.now() };
    const filter: Filter = { end, size, ...empty, ...(query && { query }) };
    this.#filters.set(id, filter);
    return id;
  }

  /** The items collected since the last poll. @throws RpcError -32000 `filter not found` */
  changes(id: string): (WireObject | string)[] {
    const filter = this.#find(id);
    const { collected } = filter;
    this.#deps.budget.collected.give(filter.bytes);
    filter.collected = [];
    filter.bytes = 0;
    return collected;
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
    budget.collected.give(filter.bytes);
    filter.end();
    return true;
  }

  /** A filter that is not polled, or exceeds the budget, is dropped: its owner gets `filter not found`. */
  #collect(id: string, items: readonly (WireObject | string)[]): void {
    const filter = this.#filters.get(id);
    if (filter === undefined) return;
    const isTooMuch = filter.collected.length + items.length > MAX_COLLECTED;
    const bytes = items.reduce((sum: number, item) => sum + bytesOf(item), 0);
    if (isTooMuch || this.#isOld(filter) || !this.#deps.budget.collected.take(bytes)) {
      this.close(id);
      return;
    }
    for (const item of items) filter.collected.push(item);
    filter.bytes += bytes;
  }

  #take(size: number): void {
    const { filters, filterBytes } = this.#deps.budget;
    if (!filters.take()) throw refused("too many filters");
    if (filterBytes.take(size)) return;
    filters.give();
    throw refused("the filters of this node are too large");
  }

  #find(id: string): Filter {
    this.#forgetOld();
    const filter = this.#filters.get(id);
    if (filter === undefined) throw refused("filter not found");
    filter.askedAt = this.#deps.now();
    return filter;
  }

  #isOld({ askedAt }: Filter): boolean {
    return askedAt < this.#deps.now() - LIFETIME_MS;
  }

  #forgetOld(): void {
    for (const [id, filter] of this.#filters) if (this.#isOld(filter)) this.close(id);
  }
}

function bytesOf(item: WireObject | string): number {
  return typeof item === "string" ? HASH_BYTES : LOG_BYTES + String(item["data"] ?? "").length;
}

function sizeOf(query: LogQuery | undefined): number {
  if (query === undefined) return 0;
  const terms = query.topics.reduce((sum, topics) => sum + topics.length, query.addresses.length);
  return TERM_BYTES * terms;
}

/** Polled filters and `getLogs`. */
export function filterHandlers(deps: FilterDeps): Handlers<typeof filters> {
  const { chain, pool, logs, watch } = deps;
  const open = new FilterSet(deps);
  return {
    newFilter({ filter }) {
      checkLiveRange(filter);
      return open.open((collect) => watch.add(filter, collect), filter);
    },
    newBlockFilter: () =>
      open.open((collect) => chain.onHead(({ added }) => collect(added.map(({ hash }) => bytesToHex(hash))))),
    newPendingTransactionFilter: () =>
      open.open((collect) =>
        pool.onPending((txs) => collect(txs.map((tx) => bytesToHex(transactionHash(tx))))),
      ),
    getFilterChanges: ({ id }) => watch.settled?.then(() => open.changes(id)) ?? open.changes(id),
    getFilterLogs: ({ id }, context) => logs.find(open.query(id), context),
    uninstallFilter: ({ id }) => open.close(id),
    getLogs: ({ filter }, context) => logs.find(filter, context),
  };
}
