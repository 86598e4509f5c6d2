import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSeededRandomness } from "../../../platform/runtime/simulated.ts";
import { openLmdbFile } from "./lmdb-store.ts";
import { type FilePages, preallocate, sizeAfter } from "./preallocate.ts";

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-preallocate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "store.mdb");
}

/** Batches of all kinds: many or few rows, in order or random, short or long values, new, changed or deleted. */
function batches(seed: number): (readonly [Uint8Array, Uint8Array | null])[][] {
  const { bytes } = createSeededRandomness(seed);
  const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;
  return Array.from({ length: 12 }, () => {
    const [isOrdered, isLong, keySize] = [random(2) === 0, random(4) === 0, 8 + random(200)];
    const start = random(20_000);
    return Array.from({ length: 1 + random(isLong ? 200 : 4_000) }, (_, i) => {
      const key = new Uint8Array(keySize);
      new DataView(key.buffer).setUint32(isOrdered ? 4 : 0, isOrdered ? start + i : random(2 ** 32));
      const value = new Uint8Array(isLong ? 1_500 + random(30_000) : random(300));
      return [key, random(10) === 0 ? null : value] as const;
    });
  });
}

describe("preallocated space", () => {
  it.each([1, 2, 3, 4])("covers what LMDB needs for any batch (seed %i)", async (seed) => {
    const env = open<Uint8Array, Uint8Array>({
      ...{ path: newPath(), noSubdir: true, keyEncoding: "binary", encoding: "binary" },
      ...{ overlappingSync: false, mapSize: 2 ** 32 },
    });
    for (const rows of batches(seed)) {
      const bytes = rows.reduce((sum, [key, value]) => sum + key.length + (value?.length ?? 0), 0);
      const size = sizeAfter({ rows: rows.length, bytes }, env.getStats() as FilePages);
      await env.batch(() => {
        for (const [key, value] of rows) void (value ? env.put(key, value) : env.remove(key));
      });
      env.resetReadTxn();
      const { lastPageNumber, pageSize } = env.getStats() as FilePages;
      expect((lastPageNumber + 1) * pageSize).toBeLessThanOrEqual(size);
    }
    await env.close();
  });

  it("consists of zeros after the existing bytes, and is not extended if it suffices", async () => {
    const path = newPath();
    writeFileSync(path, "abc");
    await preallocate(path, 3_000_000);
    const made = readFileSync(path);
    expect(made.length).toBe(3_000_000);
    expect(made.subarray(0, 3).toString()).toBe("abc");
    expect(made.subarray(3).every((byte) => byte === 0)).toBe(true);
    await preallocate(path, 5);
    expect(statSync(path).size).toBe(3_000_000);
  });

  it("is released when the file is closed, and is not part of a copy", async () => {
    const path = newPath();
    const store = openLmdbFile(path);
    const rows = [{ key: Uint8Array.of(1), value: new Uint8Array(100_000) }];
    await store.write(rows, { rows: 1, bytes: 10_000_000 });
    expect(statSync(path).size).toBeGreaterThan(10_000_000);
    const copy = mkdtempSync(join(tmpdir(), "kairn-copy-"));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    await store.copyTo?.(copy, new AbortController().signal);
    await store.close();
    for (const file of [path, join(copy, "store.mdb")]) {
      expect(statSync(file).size).toBeLessThan(200_000);
      const again = openLmdbFile(file);
      expect(again.get(Uint8Array.of(1))?.length).toBe(100_000);
      await again.close();
    }
  });
});
