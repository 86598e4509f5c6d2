import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkPages } from "./check-pages.ts";
import { openLmdbFile, openLmdbStore } from "./lmdb-store.ts";
import { newestMeta } from "./meta-pages.ts";

const ROWS = 5000;
const KEY_SIZE = 200;

/** A file with three levels of pages, long values and freed pages. */
async function filled(length = 150): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "store.mdb");
  const store = openLmdbFile(path);
  const rows = (length: number) =>
    Array.from({ length: ROWS }, (_, i) => ({
      key: Buffer.from(i.toString(16).padStart(KEY_SIZE, "0")),
      value: Buffer.alloc(i % 1000 === 7 ? 9000 : length, i),
    }));
  await store.write(rows(100));
  await store.write(rows(length).filter((_, i) => i % 3 === 0));
  await store.close();
  return path;
}

function rootOf(path: string): { readonly at: number; readonly depth: number; readonly pageSize: number } {
  const file = openSync(path, "r");
  const { trees, pageSize } = newestMeta(file, path);
  closeSync(file);
  const { root, depth } = trees[1] ?? { root: 0n, depth: 0 };
  return { at: Number(root) * pageSize, depth, pageSize };
}

it("counts the rows of a whole file page by page", async () => {
  const path = await filled();
  expect(rootOf(path).depth).toBeGreaterThanOrEqual(3);
  expect(checkPages(path).rows).toBe(ROWS);
  expect(checkPages(path, 1).pages).toBeLessThan(checkPages(path, 2).pages);
});

it("finds, and names the page of, anything that would lead LMDB outside a page or the file, or into another tree", async () => {
  const path = await filled();
  const whole = readFileSync(path);
  const { at, pageSize } = rootOf(path);
  const child = (from: number, index = 0) => from + 24 + whole.readUInt16LE(from + 24 + 2 * index);
  const inner = whole.readUIntLE(child(at), 6) * pageSize;
  for (const [change, text] of [
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, at + 24), /has a key beyond its bounds/],
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, at + 22), /has rows beyond its bounds/],
    [(bytes: Buffer) => bytes.writeUIntLE(2 ** 40, child(at), 6), /page 1099511627776 is not in the file/],
    [(bytes: Buffer) => bytes.writeUIntLE(at / pageSize, child(at), 6), /is used twice/],
    [(bytes: Buffer) => bytes.writeUInt16LE(2, inner + 18), /is of kind 2/],
    [(bytes: Buffer) => bytes.writeUInt32LE(77, inner), /has another number/],
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, inner + 24), /has a key beyond its bounds/],
    [
      (bytes: Buffer) => bytes.writeUInt16LE(bytes.readUInt16LE(inner + 20) - 2, inner + 20),
      /has rows that do not fill it/,
    ],
    [
      (bytes: Buffer) => bytes.writeUInt8(0xb0, child(at, 1) + 9), // leads searches to another page
      /has keys that (are out of order|belong on another page)/,
    ],
    [
      (bytes: Buffer) => bytes.copy(bytes, inner + 24, inner + 26, inner + 28), // one row twice in place of another
      /has rows that do not fill it|is used twice/,
    ],
  ] as const) {
    const bytes = Buffer.from(whole);
    change(bytes);
    writeFileSync(path, bytes);
    const check = () => checkPages(path);
    expect(check).toThrow(
      expect.objectContaining({ code: "DATABASE_DAMAGED", message: expect.stringMatching(text) }),
    );
  }
});

/** Changes the nodes of a file's long values, three levels down: at each node, and where it has their first page in place of the value. */
function changeLongValues(path: string, change: (bytes: Buffer, node: number, value: number) => void): void {
  const bytes = readFileSync(path);
  const { pageSize } = rootOf(path);
  for (let page = bytes.length / pageSize - 1; page > 1; page--) {
    const at = page * pageSize;
    const isLeaf = (bytes.readUInt16LE(at + 18) & 7) === 2 && bytes.readUInt32LE(at) === page;
    for (let place = 24; isLeaf && place < 24 + bytes.readUInt16LE(at + 20); place += 2) {
      const node = at + 24 + bytes.readUInt16LE(at + place);
      if (bytes.readUInt16LE(node + 4) !== 1 || bytes.readUInt16LE(node + 6) !== KEY_SIZE) continue;
      change(bytes, node, node + 8 + bytes.readUInt16LE(node + 6));
    }
  }
  writeFileSync(path, bytes);
}

/** Points them outside of the file, at which LMDB would crash the process. */
function misplaceLongValue(path: string): void {
  changeLongValues(path, (bytes, _, value) => bytes.writeBigUInt64LE(2n ** 30n, value));
}

it("accepts long values on more pages than they need, such as a list of free pages that became shorter, if both counts agree", async () => {
  const path = await filled();
  const { pages } = checkPages(path);
  changeLongValues(path, (bytes, node) => bytes.writeUInt32LE(8000, node)); // two pages would do for what had 9,000 bytes
  expect(checkPages(path).pages).toBe(pages);
  changeLongValues(path, (bytes, node) => bytes.writeUInt32LE(3 * 4096, node));
  expect(() => checkPages(path)).toThrow(/is not the overflow page that a row refers to/);
  changeLongValues(path, (bytes, node, value) => {
    bytes.writeUInt32LE(9000, node);
    bytes.writeBigUInt64LE(2n, value + 16);
  });
  expect(() => checkPages(path)).toThrow(/is not the overflow page that a row refers to/);
});

const damaged = expect.objectContaining({ code: "DATABASE_DAMAGED" });

it("checks all pages of a small file before LMDB opens it", async () => {
  const path = await filled();
  misplaceLongValue(path);
  expect(() => openLmdbStore(dirname(path))).toThrow(damaged);
});

it("checks all pages of a larger file if a process did not close it", async () => {
  const path = await filled(12_000);
  expect(statSync(path).size).toBeGreaterThan(2 ** 24);
  misplaceLongValue(path);
  const log = join(dirname(path), "log-0000000002.v2");
  writeFileSync(log, "");
  await openLmdbStore(dirname(path)).close();
  writeFileSync(log, "x".repeat(40));
  expect(() => openLmdbStore(dirname(path))).toThrow(damaged);
});
