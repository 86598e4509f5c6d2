import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkedRows } from "../rows/checked-rows.ts";
import type { KeyValueStore } from "../store.ts";
import { newFolder } from "../testing/folder.ts";
import { checkPages } from "./check-pages.ts";
import { openLmdbFile } from "./lmdb-store.ts";
import { newestMeta } from "./meta-pages.ts";

const PAGE = 4096;
const KEY_SIZE = 240;
const ROWS = 18_000;
const place = (path: string) => ({ file: path, tableOf: () => "rows", onDamage: () => {} });

const keyOf = (n: number): Buffer => Buffer.from(n.toString().padStart(KEY_SIZE, "0"));
const FIRST = keyOf(0);
const LAST = Buffer.from("~");

const openUnchecked = (path: string, isReadOnly = false): KeyValueStore =>
  checkedRows(openLmdbFile(path, { isReadOnly, smallBytes: 0 }), place(path));

/** A file with four levels of pages, of which the lower two are not checked at the start: even numbers as keys. */
async function filled(): Promise<string> {
  const path = join(newFolder(), "store.mdb");
  const store = checkedRows(openLmdbFile(path), place(path));
  await store.write(
    Array.from({ length: ROWS }, (_, n) => ({ key: keyOf(2 * n), value: Buffer.of(n % 256) })),
  );
  await store.close();
  return path;
}

/** The pages from the root to the row of a key, by their number. */
function pagesTo(path: string, key: Buffer): readonly number[] {
  const file = openSync(path, "r");
  const { trees } = newestMeta(file, path);
  closeSync(file);
  const bytes = readFileSync(path);
  const pages = [Number(trees[1]?.root)];
  for (let height = trees[1]?.depth ?? 0; height > 1; height--) {
    const at = (pages.at(-1) as number) * PAGE;
    let child = 0;
    for (let i = 0; i < bytes.readUInt16LE(at + 20) / 2; i++) {
      const node = at + 24 + bytes.readUInt16LE(at + 24 + 2 * i);
      const found = bytes.subarray(node + 8, node + 8 + bytes.readUInt16LE(node + 6));
      if (i === 0 || found.compare(key) <= 0) child = bytes.readUIntLE(node, 6);
    }
    pages.push(child);
  }
  return pages;
}

/** Runs `use` while some bytes of a file are others. */
async function changed(path: string, at: number, bytes: Uint8Array, use: () => Promise<void>): Promise<void> {
  const was = readFileSync(path).subarray(at, at + bytes.length);
  const write = (what: Uint8Array): void => {
    const file = openSync(path, "r+");
    writeSync(file, what, 0, what.length, at);
    closeSync(file);
  };
  write(bytes);
  try {
    await use();
  } finally {
    write(was);
  }
}

/** What readers get for some keys, there and absent: the row, the first from there on, the last up to there; and all rows between them. */
async function answersOf(path: string, keys: readonly Buffer[]): Promise<string[]> {
  let store: KeyValueStore;
  try {
    store = openUnchecked(path, true);
  } catch {
    return []; // refused
  }
  const first = (from: Buffer, to: Buffer, isReversed: boolean): Buffer | undefined => {
    for (const [key, value] of store.range(from, to, isReversed)) return Buffer.concat([key, value]);
    return undefined;
  };
  const reads = keys.flatMap((key) => [
    () => store.get(key),
    () => first(key, LAST, false),
    () => first(FIRST, key, true),
  ]);
  const all = () => Buffer.concat([...store.range(FIRST, keys.at(-1) as Buffer)].map(([, value]) => value));
  const answers = [...reads, all].map((read) => {
    try {
      return Buffer.from(read() ?? []).toString("latin1");
    } catch {
      return "damaged";
    }
  });
  await store.close();
  return answers;
}

describe("a file whose pages are not all checked at the start", () => {
  it("never shows another row, or none, for a changed bit in its lower pages", async () => {
    const path = await filled();
    const middle = 400;
    const pages = pagesTo(path, keyOf(middle));
    expect(pages).toHaveLength(4);
    const keys = [-60, -27, -14, -5, 0, 1, 6, 13, 26, 59].map((by) => keyOf(middle + by));
    const expected = await answersOf(path, keys);
    expect(expected).toHaveLength(31);
    expect(expected).not.toContain("damaged");
    const bytes = readFileSync(path);
    for (const page of pages.slice(2)) {
      const nodes = bytes.readUInt16LE(page * PAGE + 20) / 2;
      const places = Array.from({ length: 24 + 2 * nodes }, (_, at) => at).filter((at) => at < 8 || at >= 16);
      for (const at of [...places, ...Array.from({ length: 15 }, (_, i) => PAGE - 1 - 134 * i)])
        for (const bit of at < 24 ? [0, 1, 2, 3, 4, 5, 6, 7] : [(5 * at) % 8]) {
          const offset = page * PAGE + at;
          await changed(path, offset, Uint8Array.of((bytes[offset] as number) ^ (1 << bit)), async () => {
            const answers = await answersOf(path, keys);
            const wrong = answers.filter((answer, i) => answer !== "damaged" && answer !== expected[i]);
            expect({ page, at, bit, wrong }).toEqual({ page, at, bit, wrong: [] });
          });
        }
    }
  }, 180_000);

  it("names a leaf of which a row is hidden when the row is asked for, written or deleted, and when the walk gets there", async () => {
    const path = await filled();
    const leaf = pagesTo(path, keyOf(6000)).at(-1) as number;
    const bytes = readFileSync(path);
    const nodes = bytes.readUInt16LE(leaf * PAGE + 20);
    const node = leaf * PAGE + 24 + bytes.readUInt16LE(leaf * PAGE + 24 + nodes - 2);
    const hidden = Buffer.from(bytes.subarray(node + 8, node + 8 + KEY_SIZE));
    const lower = Buffer.alloc(2);
    lower.writeUInt16LE(nodes - 2);
    await changed(path, leaf * PAGE + 20, lower, async () => {
      const naming = {
        code: "DATABASE_DAMAGED",
        message: `${path} is damaged: page ${leaf} has rows that do not fill it`,
      };
      const store = openUnchecked(path);
      const after = keyOf(Number(hidden.toString()) + 2);
      for (const read of [
        () => store.get(hidden),
        () => store.neighbour(after, "below"),
        () => [...store.range(FIRST, LAST)],
        () => [...store.range(FIRST, LAST, true)],
        () => {
          while (store.checkOn?.(() => false));
        },
      ])
        expect(read).toThrow(expect.objectContaining(naming));
      await expect(store.write([{ key: hidden, value: hidden }])).rejects.toMatchObject(naming);
      await expect(store.write([{ key: after, value: null }])).rejects.toMatchObject(naming);
      await store.close();
    });
  });

  it("refuses an earlier state of a leaf in place of the leaf", async () => {
    const path = await filled();
    const earlier = pagesTo(path, keyOf(6000)).at(-1) as number;
    const store = openUnchecked(path);
    await store.write([{ key: keyOf(6000), value: Buffer.from("new") }]);
    await store.close();
    const pages = pagesTo(path, keyOf(6000));
    const bytes = readFileSync(path);
    const [parent, leaf] = [pages.at(-2) as number, pages.at(-1) as number];
    const child = Buffer.alloc(6);
    child.writeUIntLE(leaf, 0, 6);
    const at = bytes.indexOf(child, parent * PAGE);
    child.writeUIntLE(earlier, 0, 6);
    await changed(path, at, child, async () => {
      const message = `${path} is damaged: page ${earlier} is used and on the list of free pages`;
      const error = expect.objectContaining({ code: "DATABASE_DAMAGED", message });
      const damaged = openUnchecked(path, true);
      expect(() => damaged.get(keyOf(6000))).toThrow(error);
      await damaged.close();
      expect(() => checkPages(path)).toThrow(error);
    });
    const intact = openUnchecked(path, true);
    expect(intact.get(keyOf(6000))).toEqual(new Uint8Array(Buffer.from("new")));
    await intact.close();
  });

  it("is read and written as a map, checked in pieces meanwhile", async () => {
    const row = fc.record({
      key: fc.uint8Array({ minLength: 1, maxLength: 3 }).map((key) => Uint8Array.of(7, ...key)),
      length: fc.option(fc.oneof(fc.nat(300), fc.nat(9000)), { freq: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(row, { maxLength: 120 }), { maxLength: 12 }), async (batches) => {
        const path = join(newFolder(), "store.mdb");
        const expected = new Map<string, Uint8Array>();
        let store = checkedRows(openLmdbFile(path), place(path));
        for (const [number, batch] of batches.entries()) {
          const rows = new Map(batch.map(({ key, length }) => [Buffer.from(key).toString("hex"), length]));
          const written = [...rows].map(([hex, length]) => ({
            key: new Uint8Array(Buffer.from(hex, "hex")),
            value: length === null ? null : new Uint8Array(length).fill(number + 1),
          }));
          await store.write(written);
          for (const { key, value } of written) {
            if (value) expected.set(Buffer.from(key).toString("hex"), value);
            else expected.delete(Buffer.from(key).toString("hex"));
            expect(store.get(key)).toEqual(value ?? undefined);
          }
          let left = 3;
          store.checkOn?.(() => left-- <= 0);
          if (number % 4 !== 2) continue;
          await store.close();
          store = openUnchecked(path);
        }
        const sorted = [...expected]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([hex, value]) => [hex, value.length]);
        const found = (reverse: boolean) =>
          Array.from(store.range(Uint8Array.of(7), Uint8Array.of(8), reverse), ([key, value]) => [
            Buffer.from(key).toString("hex"),
            value.length,
          ]);
        expect(found(false)).toEqual(sorted);
        expect(found(true)).toEqual(sorted.reverse());
        while (store.checkOn?.(() => false));
        await store.close();
        checkPages(path);
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});
