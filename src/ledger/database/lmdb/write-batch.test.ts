import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { openLmdbFile } from "./lmdb-store.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A store on a new file whose slice is always used up. @param onTurn - called whenever others have a turn */
function store(onTurn: (store: KeyValueStore) => void = () => {}): KeyValueStore {
  const folder = mkdtempSync(join(tmpdir(), "kairn-batch-"));
  folders.push(folder);
  const pace = {
    isDue: () => true,
    async yield() {
      await new Promise(setImmediate);
      onTurn(opened);
    },
  };
  const opened = openLmdbFile(join(folder, "store.mdb"), { pace });
  return opened;
}

const rowsOf = (opened: KeyValueStore) =>
  Array.from(opened.range(Uint8Array.of(0), new Uint8Array(256).fill(255)), ([key, value]) => [
    Buffer.from(key).toString("hex"),
    Buffer.from(value).toString("hex"),
  ]);

it("takes turns with other work however many rows a batch has, and shows none of them before all are written", async () => {
  let turns = 0;
  const opened = store((beside) => {
    turns++;
    expect(beside.size().rows).toBe(0);
  });
  const key = new Uint8Array(4);
  const value = new Uint8Array(100);
  const count = 10_000;
  function* rows(): Generator<StoredRow> {
    for (let n = 1; n <= count; n++) {
      new DataView(key.buffer).setUint32(0, n);
      value.fill(n);
      yield { key, value };
    }
  }
  await opened.write(rows());
  expect([turns, opened.size().rows]).toEqual([Math.floor(count / 32), count]);
  await opened.close();
});

it("writes rows of any size as a map does", async () => {
  const opened = store();
  const long = fc.constantFrom(65_400, 65_500, 65_536, 70_000, 200_000);
  const sizes = fc.oneof({ weight: 30, arbitrary: fc.nat(900) }, { weight: 1, arbitrary: long });
  const keys = fc.uint8Array({ minLength: 1, maxLength: 256 });
  const row = fc.record({ key: keys, size: fc.option(sizes), fill: fc.nat(255) });
  const known = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 300, size: "max" }), async (made) => {
      const batch = made.map(({ key, size, fill }) => ({
        key,
        value: size === null ? null : new Uint8Array(size).fill(fill),
      }));
      await opened.write(batch);
      for (const { key, value } of batch) {
        const name = Buffer.from(key).toString("hex");
        if (value) known.set(name, Buffer.from(value).toString("hex"));
        else known.delete(name);
      }
      expect(rowsOf(opened)).toEqual([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
    { numRuns: 10 },
  );
  await opened.close();
});

it("closes only once what is being written is on disk", async () => {
  const opened = store();
  const written = opened.write([{ key: Uint8Array.of(1), value: Uint8Array.of(2) }]);
  let isWritten = false;
  void written.then(() => (isWritten = true));
  await opened.close();
  expect(isWritten).toBe(true);
});
