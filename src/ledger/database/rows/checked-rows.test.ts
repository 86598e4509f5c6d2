import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { openLmdbStore } from "../lmdb/lmdb-store.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { checkedRows } from "./checked-rows.ts";

const key = (n: number): Uint8Array => Uint8Array.of(1, n);
const KEYS = [10, 20, 30, 40];

async function rows() {
  const raw = createMemoryStore();
  const heard: string[] = [];
  const place = { file: "store", tableOf: () => "a", onDamage: () => void heard.push("damage") };
  const checked = checkedRows(raw, place);
  await checked.write(KEYS.map((n) => ({ key: key(n), value: Uint8Array.of(n, n) })));
  const found = (reverse?: boolean) => Array.from(checked.range(key(15), key(35), reverse), ([k]) => k[1]);
  return { raw, checked, heard, found };
}

const damage = expect.objectContaining({ code: "DATABASE_DAMAGED" });

describe("rows with checksums", () => {
  it("are returned as written, and absent otherwise", async () => {
    const { checked, found } = await rows();
    expect(checked.get(key(20))).toEqual(Uint8Array.of(20, 20));
    expect([5, 25, 45].map((n) => checked.get(key(n)))).toEqual([undefined, undefined, undefined]);
    expect([found(), found(true)]).toEqual([
      [20, 30],
      [30, 20],
    ]);
  });

  it("are written although their source reuses its memory", async () => {
    const checked = checkedRows(createMemoryStore(), {
      file: "store",
      tableOf: () => "a",
      onDamage: () => {},
    });
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    function* reusing(keep: (n: number) => boolean) {
      const [reused, value] = [key(0), new Uint8Array(2)];
      for (const n of numbers) {
        reused[1] = n;
        value.fill(n);
        yield { key: reused, value: keep(n) ? value : null };
      }
    }
    await checked.write(reusing(() => true));
    for (const n of numbers) expect(checked.get(key(n))).toEqual(Uint8Array.of(n, n));
    await checked.write(reusing((n) => n % 2 === 0));
    for (const n of numbers)
      expect(checked.get(key(n))).toEqual(n % 2 === 0 ? Uint8Array.of(n, n) : undefined);
  });

  it("have the right neighbours in every engine, even beside deleted ones", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kairn-rows-"));
    for (const store of [createMemoryStore(), openLmdbStore(directory)]) {
      await store.write([...KEYS, 25].map((n) => ({ key: key(n), value: Uint8Array.of(n) })));
      await store.write([{ key: key(25), value: null }]);
      const beside = (n: number) =>
        (["below", "from"] as const).map((side) =>
          store.neighbour(key(n), side)?.map((bytes) => bytes.at(-1)),
        );
      expect([5, 10, 25, 41].map(beside)).toEqual([
        [undefined, [10, 10]],
        [undefined, [10, 10]],
        [
          [20, 20],
          [30, 30],
        ],
        [[40, 40], undefined],
      ]);
      await store.close();
    }
    rmSync(directory, { recursive: true });
  });

  it("fail if any bit has flipped, and report the damage", async () => {
    const { raw, checked, heard } = await rows();
    const row = (raw.get(key(20)) as Uint8Array).slice();
    for (let bit = 0; bit < 8 * row.length; bit++) {
      const changed = row.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      await raw.write([{ key: key(20), value: changed }]);
      expect(() => checked.get(key(20))).toThrow(damage);
    }
    expect(heard.length).toBe(8 * row.length);
  });

  it("are not considered absent if a neighbour's key was changed", async () => {
    const { raw, checked, found } = await rows();
    const row = (raw.get(key(20)) as Uint8Array).slice();
    await raw.write([
      { key: key(20), value: null },
      { key: key(24), value: row },
    ]);
    for (const n of [20, 22, 25]) expect(() => checked.get(key(n))).toThrow(damage);
    expect(() => found()).toThrow(damage);
    expect(checked.get(key(40))).toEqual(Uint8Array.of(40, 40));
  });

  it("are rejected under another key or table", async () => {
    const { raw, checked } = await rows();
    const row = (raw.get(key(20)) as Uint8Array).slice();
    await raw.write([
      { key: key(30), value: row },
      { key: Uint8Array.of(2, 20), value: row },
    ]);
    expect(() => checked.get(key(30))).toThrow(damage);
    expect(() => checked.get(Uint8Array.of(2, 20))).toThrow(damage);
  });

  it("are no longer absent once written, whatever was read before and meanwhile", async () => {
    const { raw, checked } = await rows();
    const reads = vi.spyOn(raw, "neighbour");
    expect([22, 25, 28, 22, 45, 5].map((n) => checked.get(key(n)))).toEqual(Array(6).fill(undefined));
    expect(reads).toHaveBeenCalledTimes(6); // both sides of three gaps
    const writing = checked.write([{ key: key(25), value: Uint8Array.of(25) }]);
    checked.get(key(26));
    await writing;
    expect(checked.get(key(25))).toEqual(Uint8Array.of(25));
    expect([24, 26].map((n) => checked.get(key(n)))).toEqual([undefined, undefined]);
  });

  it("agree with a map under any order of reads and writes", async () => {
    const change = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom("put", "delete", "read"));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 120 }), async (changes) => {
        const checked = checkedRows(createMemoryStore(), { file: "", tableOf: () => "", onDamage() {} });
        const model = new Set<number>();
        for (const [n, action] of changes) {
          if (action === "read") expect(checked.get(key(n)) !== undefined).toBe(model.has(n));
          else {
            await checked.write([{ key: key(n), value: action === "put" ? key(n) : null }]);
            if (action === "put") model.add(n);
            else model.delete(n);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
