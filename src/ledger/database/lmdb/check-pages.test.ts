import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkPages } from "./check-pages.ts";
import { newestMeta } from "./first-pages.ts";
import { openLmdbFile } from "./lmdb-store.ts";

const ROWS = 5000;

/** A file with three levels of pages, long values and pages that were given back. */
async function filled(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "store.mdb");
  const store = openLmdbFile(path);
  const rows = (length: number) =>
    Array.from({ length: ROWS }, (_, i) => ({
      key: Buffer.from(i.toString(16).padStart(200, "0")),
      value: Buffer.alloc(i % 1000 === 7 ? 9000 : length, i),
    }));
  await store.write(rows(100));
  await store.write(rows(150).filter((_, i) => i % 3 === 0));
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

it("finds what would lead LMDB out of a page, of the file or into another tree, with its page", async () => {
  const path = await filled();
  const whole = readFileSync(path);
  const { at, pageSize } = rootOf(path);
  const child = (from: number) => from + 24 + whole.readUInt16LE(from + 24);
  const inner = whole.readUIntLE(child(at), 6) * pageSize;
  for (const [change, text] of [
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, at + 24), /has a key outside of it/],
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, at + 22), /has its rows outside of it/],
    [(bytes: Buffer) => bytes.writeUIntLE(2 ** 40, child(at), 6), /page 1099511627776 is not in the file/],
    [(bytes: Buffer) => bytes.writeUIntLE(at / pageSize, child(at), 6), /is used twice/],
    [(bytes: Buffer) => bytes.writeUInt16LE(2, inner + 18), /is of kind 2/],
    [(bytes: Buffer) => bytes.writeUInt32LE(77, inner), /has another number/],
    [(bytes: Buffer) => bytes.writeUInt16LE(0xfff0, inner + 24), /has a key outside of it/],
    [
      (bytes: Buffer) => bytes.writeUInt16LE(bytes.readUInt16LE(inner + 20) - 2, inner + 20),
      /rows below it, not 5000/,
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
