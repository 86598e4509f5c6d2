import { beforeEach, expect, it } from "vitest";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import type { StateStore } from "../../state/state.ts";
import type { BlockTable } from "../tables/block-table.ts";
import { type BlockLogs, indexedRow, LogIndex } from "./log-index.ts";
import { decodePostings, POSTING_TABLE, postingKey, postingRow } from "./posting-row.ts";
import { ADDRESS, TERM_BYTES, termOf } from "./term.ts";
import { verifyLogIndex } from "./verify-log-index.ts";

const EMITTER = new Uint8Array(20).fill(1);
const TERM = termOf(ADDRESS, EMITTER);
const log = { address: EMITTER, topics: [new Uint8Array(32).fill(2)], data: EMPTY_BYTES };
const blocks: readonly BlockLogs[] = [3, 5, 6].map((number) => ({ number, logs: [[log, log], [log]] }));
/** For each block one of any log, three of its address and three of its topic. */
const POSTINGS = 7 * blocks.length;

let store: StateStore;
const verify = (chain = blocks) => {
  const logsAfter = (number: number) => chain.filter((block) => block.number > number);
  return verifyLogIndex(store, { logsAfter } as unknown as BlockTable);
};
const ofEmitter = () => {
  const [row] = store.range(POSTING_TABLE, postingKey(TERM, 0), postingKey(TERM + 1, 0));
  const [key, value] = row as [Uint8Array, Uint8Array];
  return { key: key.slice(), value: value.slice() };
};

beforeEach(async () => {
  store = await createStateStore({ engine: "memory" });
  await store.write([indexedRow(0)]);
  const index = new LogIndex(store, () => [], POSTINGS);
  for (const block of [...blocks, { number: 7, logs: [] }]) {
    const { rows, done } = runSync(index.follow(block));
    await store.write(rows);
    done();
  }
});

it("counts the postings of an index that agrees with the chain, as far as it is in rows", () => {
  expect(verify()).toBe(POSTINGS);
  expect(verify([...blocks, { number: 8, logs: [[log]] }])).toBe(POSTINGS);
});

it("notices a term with any wrong bit, a wrong block and a wrong log index", async () => {
  const { key, value } = ofEmitter();
  const postings = decodePostings(key, value);
  const wrongRows = [
    ...Array.from({ length: 8 * TERM_BYTES }, (_, bit) => {
      const wrong = key.slice();
      wrong[bit >> 3] = (wrong[bit >> 3] as number) ^ (1 << (bit & 7));
      return { table: POSTING_TABLE, key: wrong, value };
    }),
    postingRow(TERM, [2, ...postings.slice(1)]),
    postingRow(TERM, [...postings.slice(0, -1), 3]),
    postingRow(TERM, postings.slice(2)),
  ];
  for (const wrong of wrongRows) {
    await store.write([{ table: POSTING_TABLE, key, value: null }, wrong]);
    expect(verify(), String(wrong.key)).toBeUndefined();
    await store.write([
      { ...wrong, value: null },
      { table: POSTING_TABLE, key, value },
    ]);
  }
  expect(verify()).toBe(POSTINGS);
});

it("notices rows of a term that overlap, though together they have the right postings", async () => {
  const { key, value } = ofEmitter();
  const postings = decodePostings(key, value);
  const remove = { table: POSTING_TABLE, key, value: null };
  const [first, rest] = [postings.slice(0, 6), postings.slice(6)];
  await store.write([remove, postingRow(TERM, first), postingRow(TERM, rest)]);
  expect(verify()).toBe(POSTINGS);
  const [odd, even] = [postings.slice(0, 8), postings.slice(8)];
  await store.write([
    { ...postingRow(TERM, first), value: null },
    postingRow(TERM, odd),
    postingRow(TERM, even),
  ]);
  expect(verify()).toBeUndefined();
});
