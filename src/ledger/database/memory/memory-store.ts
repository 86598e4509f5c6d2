import type { KeyValueStore } from "../store.ts";
import { ByteTable } from "../table/byte-table.ts";

/** Makes an engine that keeps its rows in memory and forgets them with the process. */
export function createMemoryStore(): KeyValueStore {
  const table = new ByteTable();
  return {
    get: (key) => table.get(key) ?? undefined,
    *range(from, to, reverse) {
      for (const [key, value] of table.range(from, to, reverse)) if (value) yield [key, value];
    },
    async write(batch) {
      for (const { key, value } of batch) table.set(key, value);
    },
    size: () => ({ rows: table.size, bytes: table.bytes }),
    close: async () => {},
  };
}
