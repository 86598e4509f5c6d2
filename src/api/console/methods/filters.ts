import type { Namespace } from "./namespaces.ts";

/** Repeats work until the returned function is called. */
export type Every = (work: () => void) => () => void;

/** A filter of the node: past and future events. */
export interface Filter {
  /** All matching logs; for block and pending filters, what is new since the last poll. */
  get(): unknown;
  /** Calls back with each log, block hash or transaction hash from now on. */
  watch(callback: (error: Error | null, found?: unknown) => void): Filter;
  /** Ends `watch`, and uninstalls the filter. */
  stopWatching(): boolean;
}

/** What creating a filter needs. */
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
 * @throws Error for anything but "latest", "pending" or an object
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
  const newItems = (): unknown[] => {
    id ??= begin();
    return ((ask("getFilterChanges", id) as unknown[] | null) ?? []).map(show);
  };
  const filter: Filter = {
    get: () => (isLogs ? (ask("getLogs", wanted) as unknown[]).map(show) : newItems()),
    watch(callback) {
      stop?.();
      id ??= begin();
      stop = every(() => {
        try {
          for (const found of newItems()) callback(null, found);
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
