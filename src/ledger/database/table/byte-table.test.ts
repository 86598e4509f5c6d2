import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { compareBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { ByteTable } from "./byte-table.ts";
import { LazyOrder } from "./lazy-order.ts";
import { mergeLayers } from "./merge.ts";
import { RecordCache } from "./record-cache.ts";
import { type KeysOf, NO_BYTE, sortKeys } from "./sort-keys.ts";

/** Keys that often collide: few bytes, many of them prefixes of others. */
const key = fc.uint8Array({ maxLength: 12 }).map((bytes) => bytes.map((byte) => byte & 1));
const value = fc.option(
  fc.oneof(
    { weight: 30, arbitrary: fc.uint8Array({ maxLength: 120 }) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array(33_000).fill(9)) },
  ),
);

const text = (rows: Iterable<readonly [Uint8Array, Uint8Array | null]>): string[] =>
  Array.from(rows, ([k, v]) => `${bytesToHex(k)} ${v && bytesToHex(v.subarray(0, 200))} ${v?.length}`);

describe("a byte table", () => {
  it("agrees with a map, even after it was cleared", () => {
    const changes = fc.array(fc.tuple(key, value), { maxLength: 120 });
    fc.assert(
      fc.property(changes, changes, key, key, (before, after, from, to) => {
        const table = new ByteTable();
        for (const [k, v] of before) table.set(k, v);
        table.clear();
        const model = new Map<string, Uint8Array | null>();
        for (const [k, v] of after) {
          table.set(k, v);
          model.set(bytesToHex(k), v);
        }
        for (const [k, v] of model)
          expect(text([[hexToBytes(k), table.get(hexToBytes(k)) ?? null]])).toEqual(
            text([[hexToBytes(k), v]]),
          );
        for (const [k] of before) if (!model.has(bytesToHex(k))) expect(table.get(k)).toBeUndefined();
        const inside = [...model]
          .map(([k, v]) => [hexToBytes(k), v] as const)
          .filter(([k]) => compareBytes(k, from) >= 0 && compareBytes(k, to) < 0)
          .sort(([a], [b]) => compareBytes(a, b));
        expect(text(table.range(from, to))).toEqual(text(inside));
        expect(text(table.range(from, to, true))).toEqual(text(inside.reverse()));
      }),
      { numRuns: 60 },
    );
  });

  it.each([10, 100_000])(
    "copies keys and values, also from a Buffer, which slices without copying: %d bytes",
    (length) => {
      const [key, value] = [Buffer.from([1]), Buffer.alloc(length, 2)];
      const table = new ByteTable();
      table.set(key, value);
      key.fill(9);
      value.fill(9);
      expect(table.get(Uint8Array.of(1))).toEqual(new Uint8Array(length).fill(2));
    },
  );

  it("copies its rows to another table, tombstones included, in place of what that has or beside it", () => {
    const [one, two, three] = [1, 2, 3].map((byte) => Uint8Array.of(byte)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const copied = (replaces: boolean): string[] => {
      const [from, to] = [new ByteTable(), new ByteTable()];
      from.set(one, null);
      from.set(two, one);
      to.set(two, three);
      to.set(three, three);
      from.copyTo(to, replaces);
      return text(to.range(new Uint8Array(0)));
    };
    const rows = (second: string) => ["0x01 null undefined", `0x02 ${second} 1`, "0x03 0x03 1"];
    expect(copied(true)).toEqual(rows("0x01"));
    expect(copied(false)).toEqual(rows("0x03"));
  });

  it("reuses the memory of replaced values", () => {
    const table = new ByteTable();
    for (let i = 0; i < 100_000; i++) table.set(Uint8Array.of(i % 50), new Uint8Array(10 + (i % 900)));
    expect(table.bytes).toBeLessThan(1_000_000);
  });
});

describe("sorting keys", () => {
  it("orders any keys bytewise, a prefix first, whatever they all begin with", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), fc.uint8Array({ maxLength: 70 }), (keys, head) => {
        const distinct = [...new Map(keys.map((k) => [bytesToHex(k), concat(head, k)])).values()];
        const sorted = Array.from(
          sortKeys(distinct.length, (i) => distinct[i] as Uint8Array),
          (i) => distinct[i],
        );
        expect(sorted).toEqual(distinct.toSorted(compareBytes));
      }),
    );
  });
});

/** Keys of which a run is split where the bound lies, so that neither it nor its neighbour is sorted. */
const SPLIT_AT_THE_BOUND: [Uint8Array[], Uint8Array, [number, Uint8Array][]] = [
  [[0, 1], [0, 0], [0, 0, 1], [0, 0, 0], []].map((bytes) => Uint8Array.from(bytes)),
  new Uint8Array(0),
  [[0, new Uint8Array(4)]],
];

const keysIn = (list: readonly Uint8Array[]): KeysOf => ({
  keyOf: (entry) => list[entry] as Uint8Array,
  byteAt: (entry, at) => list[entry]?.[at] ?? NO_BYTE,
});

describe("a lazy order", () => {
  it("finds positions and numbers as a sorted list does, whichever are asked for first", () => {
    const keys = fc.array(key, { minLength: 1, maxLength: 200 });
    const asked = fc.array(fc.tuple(fc.nat(199), key), { maxLength: 20 });
    fc.assert(
      fc.property(keys, fc.uint8Array({ maxLength: 9 }), asked, (tails, head, questions) => {
        const distinct = [...new Map(tails.map((k) => [bytesToHex(k), concat(head, k)])).values()];
        const sorted = distinct.toSorted(compareBytes);
        const order = new LazyOrder(distinct.length, keysIn(distinct), 3);
        for (const [position, tail] of questions) {
          const place = position % distinct.length;
          expect(distinct[order.at(place)]).toEqual(sorted[place]);
          const wanted = concat(head, tail);
          const bound = sorted.findIndex((k) => compareBytes(k, wanted) >= 0);
          expect(order.lowerBound(wanted)).toBe(bound < 0 ? sorted.length : bound);
        }
        expect(sorted.map((_, i) => distinct[order.at(i)])).toEqual(sorted);
      }),
      { examples: [SPLIT_AT_THE_BOUND] },
    );
  });

  it("reads few keys more than once for the first positions of many", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => Uint8Array.of(Math.imul(i, 7919) >> 3, i >> 8, i));
    let reads = 0;
    const { keyOf, byteAt } = keysIn(keys);
    const order = new LazyOrder(keys.length, {
      keyOf,
      byteAt(entry, at) {
        reads++;
        return byteAt(entry, at);
      },
    });
    order.at(order.lowerBound(Uint8Array.of(0)));
    expect(reads).toBeLessThan(1.2 * keys.length);
  });
});

describe("merging layers", () => {
  it("yields the newest row of each key and omits deleted ones, in both directions", () => {
    const layer = fc.array(fc.tuple(key, fc.option(fc.uint8Array({ maxLength: 3 }))), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), fc.boolean(), (layers, reverse) => {
        const tables = layers.map((rows) => {
          const table = new ByteTable();
          for (const [k, v] of rows) table.set(k, v);
          return table;
        });
        const merged = new ByteTable();
        for (const table of tables.toReversed()) for (const [k, v] of table.entries()) merged.set(k, v);
        const all = [new Uint8Array(0), undefined, reverse] as const;
        const expected = [...merged.range(...all)].filter(([, v]) => v !== null);
        expect(
          text(
            mergeLayers(
              tables.map((table) => table.range(...all)),
              reverse,
            ),
          ),
        ).toEqual(text(expected));
      }),
    );
  });
});

describe("a record cache", () => {
  it("stays near its maximum size and never returns a stale value", () => {
    const cache = new RecordCache(200_000);
    const newest = new Map<number, number>();
    for (let i = 0; i < 20_000; i++) {
      const id = (i * 7919) % 3000;
      const k = Uint8Array.of(id >> 8, id & 255);
      const found = cache.get(k);
      if (found) expect(found[0]).toBe(newest.get(id));
      newest.set(id, i & 255);
      if (i % 5 === 0) {
        const table = new ByteTable();
        table.set(k, Uint8Array.of(i & 255));
        runSync(cache.absorb(table));
      } else cache.set(k, new Uint8Array(100).fill(i & 255));
    }
    expect(cache.bytes).toBeLessThan(500_000);
  });
});
