import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { StateStore } from "../../state/state.ts";
import { BlockTable } from "../tables/block-table.ts";
import { indexedBlock, indexedRow, LogIndex } from "./log-index.ts";
import { POSTING_TABLE } from "./posting-row.ts";

/** Reports the progress of indexing; called with `block` = `head` at the end. */
export type IndexProgress = (block: number, head: number) => void;

/** Table of the log index of database format 1: block blooms, indexed by bit. */
const BLOOM_TABLE = "logIndex";
/** Row that exists while the index is being built; its key is no term's. */
const BUILDING = { table: POSTING_TABLE, key: Uint8Array.of(1), value: new Uint8Array(0) };
/** Rows deleted at a time. */
const BATCH = 10_000;

/**
 * Indexes the logs of a chain written by an older version, and deletes that version's index. An interrupted run is
 * resumed at the next start; does nothing for a chain with an index.
 */
export async function buildLogIndex(store: StateStore, onProgress: IndexProgress = () => {}): Promise<void> {
  if (indexedBlock(store) === undefined) {
    await clear(store, BLOOM_TABLE);
    await store.write([indexedRow(0), BUILDING]);
  }
  if (store.get(BUILDING.table, BUILDING.key) === undefined) return;
  const table = new BlockTable(store);
  const head = Number(store.head?.number ?? 0n);
  do onProgress(indexedBlock(store) ?? 0, head);
  while (await indexSome(store, table));
  await store.write([{ ...BUILDING, value: null }]);
  onProgress(head, head);
}

/** @returns false if the remaining logs are too few to be written: they are read when the index is first used */
async function indexSome(store: StateStore, table: BlockTable): Promise<boolean> {
  const index = new LogIndex(store, () => []);
  for (const block of table.logsAfter(indexedBlock(store) ?? 0)) {
    const { rows, done } = runSync(index.follow(block));
    done();
    if (rows.length === 0) continue;
    await store.write(rows);
    return true;
  }
  return false;
}

async function clear(store: StateStore, table: string): Promise<void> {
  const end = new Uint8Array(16).fill(0xff);
  let from = new Uint8Array(1);
  for (;;) {
    const keys: Uint8Array[] = [];
    for (const [key] of store.range(table, from, end)) {
      keys.push(key.slice());
      if (keys.length === BATCH) break;
    }
    if (keys.length === 0) return;
    await store.write(keys.map((key) => ({ table, key, value: null })));
    from = keys[keys.length - 1] as Uint8Array<ArrayBuffer>;
  }
}
