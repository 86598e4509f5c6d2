import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { KeyValueStore } from "../store.ts";
import { ByteTable } from "../table/byte-table.ts";

/** Creates an in-memory engine. Long batches are written in time slices. */
export function createMemoryStore(pace: Pace = new TimeSlice()): KeyValueStore {
  const table = new ByteTable();
  function* range(from: Uint8Array, to: Uint8Array | undefined, reverse?: boolean) {
    for (const [key, value] of table.range(from, to, reverse)) if (value) yield [key, value] as const;
  }
  return {
    get: (key) => table.get(key) ?? undefined,
    range,
    neighbour: (key, side) =>
      (side === "below" ? range(EMPTY_BYTES, key, true) : range(key, undefined)).next().value ?? undefined,
    async write(batch) {
      for (const { key, value } of batch) {
        table.set(key, value);
        if (pace.isDue()) await pace.yield();
      }
    },
    size: () => ({ rows: table.size, bytes: table.bytes }),
    close: async () => {},
  };
}
