import type { Namespace } from "./namespaces.ts";

/** Runs work again and again until the returned function is called. */
export type Every = (work: () => void) => () => void;

/** A filter of the node: what it has found so far, and what it finds from now on. */
export interface Filter {
  /** All logs that match; of block and pending filters what is new since the last look. */
  get(): unknown;
  /** Calls back with each log, block hash or transaction hash from now on. */
  watch(callback: (error: Error | null, found?: unknown) => void): Filter;
  /** Ends `watch`, and takes the filter off the node. */
  stopWatching(): boolean;
}

/** What a filter is made with. */
interface FilterParts {
  readonly every: Every;
  /** How a log is shown. */
  readonly show?: (log: unknown) => unknown;
}

/** Adds `filter("latest" | "pending" | {fromBlock, toBlock, address, topics})` to a module. */
export function addFilters(space: Namespace, every: Every): void {
  const filter = (wanted: unknown) => createFilter(space, wanted, { every });
  Object.defineProperty(space, "filter", { value: filter, configurable: true });
}

/**
 * A filter by its criteria. The node keeps nothing for it until it is watched or polled.
 * @throws Error for what is neither "latest", "pending" nor an object
 */
export function createFilter(
  space: Namespace,
  wanted: unknown,
  { every, show = (log) => log }: FilterParts,
): Filter {
  const isLogs = typeof wanted === "object" && wanted !== null;
  if (!isLogs && wanted !== "latest" && wanted !== "pending")
    throw new Error('filter takes "latest", "pending" or {fromBlock, toBlock, address, topics}');
  const ask = (method: string, ...args: unknown[]): unknown =>
    (space[method] as (...args: unknown[]) => unknown)(...args);
  let id: unknown;
  let stop: (() => void) | undefined;
  const begin = (): unknown => {
    if (isLogs) return ask("newFilter", wanted);
    return ask(wanted === "latest" ? "newBlockFilter" : "newPendingTransactionFilter");
  };
  const news = (): unknown[] => {
    id ??= begin();
    return ((ask("getFilterChanges", id) as unknown[] | null) ?? []).map(show);
  };
  const filter: Filter = {
    get: () => (isLogs ? (ask("getLogs", wanted) as unknown[]).map(show) : news()),
    watch(callback) {
      stop?.();
      id ??= begin();
      stop = every(() => {
        try {
          for (const found of news()) callback(null, found);
        } catch (error) {
          filter.stopWatching();
          callback(error as Error);
        }
      });
      return filter;
    },
    stopWatching() {
      stop?.();
      stop = undefined;
      const had = id;
      id = undefined;
      return had === undefined ? false : (ask("uninstallFilter", had) as boolean);
    },
  };
  return filter;
}
