import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EngineName, engines } from "../../src/ledger/database/engines.ts";
import type { KeyValueStore, StoredRow } from "../../src/ledger/database/store.ts";
import { compareBytes } from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";

// The contract of every engine in `engines`; a new one is tested by adding a row there.

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const row = (key: Uint8Array, value: Uint8Array | null): StoredRow => ({ key, value });

describe.each(Object.keys(engines) as EngineName[])("engine %s", (name) => {
  let directory: string;
  let store: KeyValueStore;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "kairn-engine-"));
    store = await engines[name].open(directory, false);
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const rows = (from: Uint8Array, to: Uint8Array, reverse?: boolean) =>
    Array.from(store.range(from, to, reverse), ([key, value]) => `${bytesToHex(key)}=${bytesToHex(value)}`);

  it("stores what was written, and drops what was deleted", async () => {
    await store.write([row(bytes(1), bytes(7)), row(bytes(2), bytes(8, 9)), row(bytes(3), bytes())]);
    await store.write([row(bytes(2), null), row(bytes(1), bytes(5))]);
    expect(store.get(bytes(1))).toEqual(bytes(5));
    expect(store.get(bytes(2))).toBeUndefined();
    expect(store.get(bytes(3))).toEqual(bytes());
    expect(store.get(bytes(4))).toBeUndefined();
  });

  it("accepts the deletion of a missing row", async () => {
    await store.write([row(bytes(1), null)]);
    expect(store.get(bytes(1))).toBeUndefined();
  });

  it("orders keys bytewise, a prefix first, and honours the bounds from ≤ key < to in both directions", async () => {
    const keys = [bytes(1), bytes(1, 0), bytes(1, 0, 0), bytes(1, 255), bytes(2), bytes(2, 1), bytes(3)];
    await store.write(keys.toReversed().map((key) => row(key, bytes(1))));
    const inside = ["0x0100=0x01", "0x010000=0x01", "0x01ff=0x01", "0x02=0x01"];
    expect(rows(bytes(1, 0), bytes(2, 1))).toEqual(inside);
    expect(rows(bytes(1, 0), bytes(2, 1), true)).toEqual(inside.toReversed());
    expect(rows(bytes(4), bytes(5))).toEqual([]);
    expect(rows(bytes(2), bytes(2))).toEqual([]);
  });

  it("stores long values and keys", async () => {
    const long = new Uint8Array(3_000_000).map((_, i) => i * 7);
    const key = new Uint8Array(256).fill(3);
    await store.write([row(key, long)]);
    expect(Buffer.compare(store.get(key) as Uint8Array, long)).toBe(0);
  });

  it("copies a key whose buffer is reused for the next row", async () => {
    const shared = bytes(0);
    function* batch() {
      for (let i = 1; i < 50; i++) {
        shared[0] = i;
        yield row(shared, bytes(i));
      }
    }
    await store.write(batch());
    for (let i = 1; i < 50; i++) expect(store.get(bytes(i))).toEqual(bytes(i));
  });

  it("shows a batch to readers once it is written, even within the same turn", async () => {
    await store.write([row(bytes(1), bytes(1))]);
    expect(store.get(bytes(1))).toEqual(bytes(1));
    const writing = store.write([row(bytes(1), bytes(2))]);
    store.get(bytes(1));
    await writing;
    expect(store.get(bytes(1))).toEqual(bytes(2));
    expect(rows(bytes(0), bytes(9))).toEqual(["0x01=0x02"]);
  });

  it("agrees with a sorted map", async () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((k) => k.map((byte) => byte & 3));
    const value = fc.option(fc.uint8Array({ maxLength: 40 }));
    const model = new Map<string, Uint8Array>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, value), { maxLength: 20 }),
        key,
        key,
        async (batch, from, to) => {
          await store.write(batch.map(([k, v]) => row(k, v)));
          for (const [k, v] of batch) v ? model.set(bytesToHex(k), v) : model.delete(bytesToHex(k));
          const expected = [...model]
            .map(([k, v]) => ({ key: hexToBytes(k), text: `${k}=${bytesToHex(v)}` }))
            .filter(({ key: k }) => compareBytes(k, from) >= 0 && compareBytes(k, to) < 0)
            .sort((a, b) => compareBytes(a.key, b.key))
            .map(({ text }) => text);
          expect(rows(from, to)).toEqual(expected);
          expect(rows(from, to, true)).toEqual(expected.toReversed());
        },
      ),
      { numRuns: 40 },
    );
  });

  it.runIf(engines[name].persistent)("persists its rows across close and open", async () => {
    await store.write([row(bytes(1), bytes(7))]);
    await store.close();
    store = await engines[name].open(directory, false);
    expect(store.get(bytes(1))).toEqual(bytes(7));
    expect(store.size().rows).toBe(1);
    expect(store.size().bytes).toBeGreaterThan(0);
  });
});
