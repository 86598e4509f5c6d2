import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compareBytes } from "../../../protocol/primitives/bytes.ts";
import { formatRow } from "../catalogue.ts";
import { checkedRows } from "../rows/checked-rows.ts";
import type { KeyValueStore } from "../store.ts";
import { newFolder } from "../testing/folder.ts";
import { openChecksummedStore } from "./checksummed-store.ts";
import { openLmdbFile } from "./lmdb-store.ts";

const PAGE = 4096;
const TABLE = 3;
const [FIRST, LAST] = [Uint8Array.of(TABLE), Uint8Array.of(TABLE + 1)];

/** Rows like those of past states: three names, the number of a block, values of equal length. */
const ROWS = ["aa", "ab", "ff"].flatMap((name) =>
  [0, 3, 6, 9, 12].map((number) => ({
    key: Buffer.from(`03${name.repeat(8)}${number.toString(16).padStart(8, "0")}`, "hex"),
    value: Buffer.from(`${name.repeat(6)}${number.toString(16).padStart(4, "0")}`, "hex"),
  })),
);

/** What a reader gets for every key, those between rows too: the row, the first row from there on, and the last one up to there. */
function answersOf(store: KeyValueStore): string[] {
  const keys = ROWS.flatMap(({ key }) => {
    const next = Buffer.from(key);
    next[next.length - 1] = (next.at(-1) as number) + 1;
    return [key, next];
  });
  const firstOf = (from: Uint8Array, to: Uint8Array, isReversed: boolean): Uint8Array | undefined => {
    for (const [key, value] of store.range(from, to, isReversed)) return Buffer.concat([key, value]);
    return undefined;
  };
  return keys.flatMap((key) =>
    [
      () => store.get(key),
      () => firstOf(key, LAST, false),
      () => firstOf(FIRST, key, true),
      () => Buffer.concat([...store.range(FIRST, key)].map(([, value]) => value)),
    ].map((read) => {
      try {
        return String(read()?.join());
      } catch {
        return "damaged";
      }
    }),
  );
}

/** Every bit of the page's header and of the places of its rows, and a bit of each byte of the rows. */
function* flipsOf(bytes: Buffer, page: number): Generator<{ at: number; bit: number }> {
  for (let at = page; at < page + PAGE; at++) {
    const isFree = bytes.subarray(at - 2, at + 3).every((byte) => byte === 0);
    if (at < page + 64) for (let bit = 0; bit < 8; bit++) yield { at, bit };
    else if (!isFree) yield { at, bit: (at * 5) % 8 };
  }
}

it("no changed bit of a page makes a reader get another row, or none", async () => {
  const directory = newFolder();
  const path = join(directory, "store.mdb");
  const place = { file: path, tableOf: () => "rows", onDamage: () => {} };
  const written = await openChecksummedStore(directory);
  await checkedRows(written, place).write([formatRow(), ...ROWS]);
  await written.close();
  const whole = readFileSync(path);
  const intact = openLmdbFile(path, { isReadOnly: true });
  const expected = answersOf(checkedRows(intact, place));
  await intact.close();
  expect(expected).not.toContain("damaged");
  expect(ROWS.map(({ key }) => key)).toEqual(ROWS.map(({ key }) => key).sort(compareBytes));
  const start = whole.indexOf(ROWS[0]?.key as Buffer);
  const page = start - (start % PAGE);
  for (const { at, bit } of flipsOf(whole, page)) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    writeFileSync(path, bytes);
    let store: KeyValueStore;
    try {
      store = openLmdbFile(path, { isReadOnly: true });
    } catch {
      continue; // refused
    }
    const answers = answersOf(checkedRows(store, place));
    await store.close();
    const wrong = answers.filter((answer, i) => answer !== "damaged" && answer !== expected[i]);
    expect({ at: at - page, bit, wrong }).toEqual({ at: at - page, bit, wrong: [] });
  }
}, 120_000);
