import { describe, expect, it } from "vitest";
import { createSimulatedFiles } from "../../../platform/runtime/simulated/files.ts";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../../protocol/block/receipt-codec.ts";
import { concat, EMPTY_BYTES, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { Database } from "../../database/database.ts";
import { DiskHealth } from "../../database/disk-health.ts";
import { CommitLog } from "../../database/log/commit-log.ts";
import { createMemoryStore } from "../../database/memory/memory-store.ts";
import type { KeyValueStore } from "../../database/store.ts";
import type { BlockTotals } from "../../execution/block/block.ts";
import type { Row, StateStore } from "../../state/state.ts";
import { DatabaseStateStore } from "../../state/store/database-state-store.ts";
import type { Blockchain } from "../blockchain.ts";
import { BlockTable } from "../tables/block-table.ts";
import { CHAIN_ID, createLedger, genesisOf, type TestLedger } from "../testing/ledger.ts";
import { slowStore } from "../testing/slow-store.ts";
import { buildLogIndex } from "./build-log-index.ts";
import { indexedBlock } from "./log-index.ts";
import { type LogFilter, logsOfBlock, searchLogs } from "./log-search.ts";
import { POSTING_TABLE, postingKey, postingRow } from "./posting-row.ts";
import { ADDRESS, TERM_BYTES, termOf } from "./term.ts";
import { verifyLogIndex } from "./verify-log-index.ts";

const GENESIS = genesisOf({});
const KEY = new Uint8Array(32).fill(7);
/** Enough for postings to be flushed to rows every few blocks. */
const LOGS_PER_BLOCK = 500;

const bytes = (size: number, n: number) => {
  const value = new Uint8Array(size);
  new DataView(value.buffer).setUint32(size - 4, n);
  return value;
};
const address = (n: number) => bytes(20, n);
const topic = (n: number) => bytes(32, n);

function transaction(nonce: bigint) {
  const type = transactionTypeByName("TxTypeLegacyTransaction") as TransactionType;
  const parts = { type, nonce, gas: 21_000n, gasPrice: 1n, to: address(1), value: 0n, input: EMPTY_BYTES };
  return signTransaction(createTransaction(parts), [KEY], CHAIN_ID);
}

/** Commits a block whose two transactions are said to have emitted these logs. */
async function addLogs({ chain, consensus, store }: TestLedger, logs: readonly Log[]): Promise<void> {
  const header = consensus.prepare(chain.tip.header, 0);
  const half = logs.length / 2;
  const receipts = [logs.slice(0, half), logs.slice(half)].map((list) => ({
    ...{ status: 1, gasUsed: 0n, bloom: EMPTY_BYTES },
    logs: list,
  }));
  const transactions = [0n, 1n].map((i) => transaction(2n * header.number + i));
  const changes = { accounts: [], codes: [] };
  const totals = { receipts } as unknown as BlockTotals;
  await chain.insert({
    block: { header, transactions },
    totals,
    changes,
    staged: runSync(store.stageInSteps(changes)),
  });
}

/** Adds blocks whose logs have topics by block number, by log index, and by seed. */
async function grow(ledger: TestLedger, count: number, seed = 0): Promise<void> {
  for (let i = 0; i < count; i++) {
    const number = Number(ledger.chain.tip.header.number) + 1;
    const logs = Array.from({ length: LOGS_PER_BLOCK }, (_, place) => ({
      address: address(place % 3),
      topics: [topic(number), topic(place % 50), topic(seed)].slice(0, (place % 4) + 1),
      data: EMPTY_BYTES,
    }));
    await addLogs(ledger, number % 7 === 0 ? [] : logs);
  }
}

const FILTERS: readonly LogFilter[] = [
  { addresses: [], topics: [] },
  { addresses: [address(2)], topics: [[], [topic(4), topic(44)]] },
  { addresses: [], topics: [[topic(3), topic(8), topic(11)], [topic(7)]] },
  { addresses: [], topics: [[], [], [topic(1)]] },
  { addresses: [address(1), address(9)], topics: [[], [], []] },
  { addresses: [address(9)], topics: [] },
];

function expectAllFound(chain: Blockchain): void {
  expect(verifyLogIndex(chain.store, new BlockTable(chain.store))).toBeDefined();
  const head = chain.head.header.number;
  const numbers = Array.from({ length: Number(head) + 1 }, (_, number) => BigInt(number));
  for (const filter of FILTERS) {
    const found = [...searchLogs(chain, filter, 0n, head)].flatMap(({ blockNumber, logs }) =>
      namesOf(blockNumber, logs),
    );
    const all = numbers.flatMap((number) => namesOf(number, logsOfBlock(chain, filter, number)));
    expect(found).toEqual(all);
  }
}

const namesOf = (number: bigint, logs: readonly PlacedLog[]) =>
  logs.map(({ transactionIndex, logIndex }) => `${number} ${transactionIndex} ${logIndex}`);

const rowsOf = (store: StateStore, table: string) =>
  [...store.range(table, new Uint8Array(1), new Uint8Array(16).fill(255))].map(([key]) => key.slice());

describe("the log index of a chain", () => {
  it("follows inserted, removed and replaced blocks, and a restart", async () => {
    const ledger = await createLedger(GENESIS);
    await grow(ledger, 12);
    await ledger.chain.published();
    expectAllFound(ledger.chain);
    await ledger.chain.rewind(11n);
    await ledger.chain.rewind(5n);
    expectAllFound(ledger.chain);
    await grow(ledger, 9, 1);
    await ledger.chain.published();
    expectAllFound(ledger.chain);
    const reopened = await createLedger(GENESIS, { store: ledger.store });
    expectAllFound(reopened.chain);
    await grow(reopened, 6, 2);
    await reopened.chain.published();
    expectAllFound(reopened.chain);
    await reopened.chain.rewind(0n);
    expect(rowsOf(ledger.store, POSTING_TABLE)).toEqual([Uint8Array.of(0)]);
  });

  it("shows no logs of unpublished blocks", async () => {
    const { store, write } = await slowStore();
    const ledger = await createLedger(GENESIS, { store });
    await grow(ledger, 4);
    expect(ledger.chain.logs(1n)).toEqual([]);
    expect([...searchLogs(ledger.chain, FILTERS[0] as LogFilter, 0n, 4n)]).toEqual([]);
    for (let i = 0; i < 4; i++) write();
    await ledger.chain.published();
    expect(ledger.chain.logs(1n)).not.toEqual([]);
  });

  it("is detected if it does not match the chain", async () => {
    const ledger = await createLedger(GENESIS);
    await grow(ledger, 12);
    const { chain, store } = ledger;
    await chain.published();
    const table = new BlockTable(store);
    expect(verifyLogIndex(store, table)).toBeGreaterThan(8_192);
    const strange = postingRow(7, [1, 1]);
    await store.write([strange]);
    expect(verifyLogIndex(store, table)).toBeUndefined();
    await store.write([{ ...strange, value: null }]);
    expect(verifyLogIndex(store, table)).toBeDefined();
  });

  it("is built for a chain written by an older version, even after an interruption", async () => {
    const ledger = await createLedger(GENESIS);
    const HEAD = 32;
    await grow(ledger, HEAD);
    await ledger.chain.published();
    const { store } = ledger;
    const followed = indexedBlock(store);
    await store.write([
      ...rowsOf(store, POSTING_TABLE).map((key) => ({ table: POSTING_TABLE, key, value: null })),
      ...Array.from({ length: 11_000 }, (_, i) => ({
        table: "logIndex",
        key: bytes(6, i),
        value: topic(i),
      })),
    ]);
    const failing = interrupted(store, 4);
    await expect(buildLogIndex(failing)).rejects.toThrow("killed");
    const seen: number[] = [];
    await buildLogIndex(store, (block) => seen.push(block));
    expect(seen[0]).toBeGreaterThan(0);
    expect(rowsOf(store, "logIndex")).toEqual([]);
    // what is left for memory is no more than after following the blocks one by one
    expect(indexedBlock(store)).toBe(followed);
    expect(seen.at(-1)).toBe(HEAD);
    const reopened = await createLedger(GENESIS, { store });
    expectAllFound(reopened.chain);
    await buildLogIndex(store, () => expect.unreachable());
  });

  it("fails if any bit of a row has flipped, and never returns wrong logs", async () => {
    const engine = flippableStore();
    const database = databaseOver(engine.store);
    const store = new DatabaseStateStore(database, { recentBlocks: 128, archive: undefined });
    const ledger = await createLedger(GENESIS, { store });
    const { chain } = ledger;
    await grow(ledger, 19);
    await chain.published();
    await database.flush();
    const table = database.tableNames.indexOf(POSTING_TABLE) + 1;
    const ofIndex = [...engine.store.range(Uint8Array.of(table), Uint8Array.of(table + 1))];
    const needed = ofIndex.filter(([key]) => key.length === 2 || isSearched(key.subarray(1)));
    expect(needed.length).toBeGreaterThan(2);
    for (const [key, value] of needed) {
      for (const bit of someBits(8 * (key.length + value.length))) {
        engine.flip(key, bit);
        chain.logIndex.reload();
        // The first byte of a key is that of its table.
        const place = { file: "store.mdb", ...(bit >= 8 && { table: POSTING_TABLE }) };
        const details = expect.objectContaining(place);
        const damage = expect.objectContaining({ code: "DATABASE_DAMAGED", details });
        expect(() => [...searchLogs(chain, SEARCHED, 0n, 19n)], `bit ${bit}`).toThrow(damage);
      }
    }
    engine.repair();
    expectAllFound(chain);
  });
});

const SEARCHED: LogFilter = { addresses: [address(2)], topics: [] };

/** Whether the key is that of a row that a search for `SEARCHED` reads. */
function isSearched(key: Uint8Array): boolean {
  const own = postingKey(termOf(ADDRESS, address(2)), 0);
  return equalBytes(key.subarray(0, TERM_BYTES), own.subarray(0, TERM_BYTES));
}

/** The first bits of a row, which are its key and the beginning of its value, the last, and some between. */
function someBits(bits: number): number[] {
  return Array.from({ length: bits }, (_, bit) => bit).filter(
    (bit) => bit < 128 || bit >= bits - 48 || bit % 397 === 0,
  );
}

function databaseOver(store: KeyValueStore): Database {
  const health = new DiskHealth({ schedule: () => () => {} });
  const log = new CommitLog(createSimulatedFiles(), "db", health);
  return new Database({ store, log, health, checkedFile: "store.mdb" });
}

/** An engine that returns one row with a flipped bit in its key or value. */
function flippableStore() {
  const raw = createMemoryStore();
  let flipped: { readonly key: Uint8Array; readonly bit: number } | undefined;
  const read = ([key, value]: readonly [Uint8Array, Uint8Array]): readonly [Uint8Array, Uint8Array] => {
    if (!flipped || !equalBytes(key, flipped.key)) return [key, value];
    const row = concat(key, value);
    row[flipped.bit >> 3] = (row[flipped.bit >> 3] as number) ^ (1 << (flipped.bit & 7));
    return [row.subarray(0, key.length), row.subarray(key.length)];
  };
  const store: KeyValueStore = {
    ...raw,
    get(key) {
      const value = raw.get(key);
      if (!value) return undefined;
      const row = read([key, value]);
      return equalBytes(row[0], key) ? row[1] : undefined;
    },
    *range(from, to, reverse) {
      for (const row of raw.range(from, to, reverse)) yield read(row);
    },
    neighbour(key, side) {
      const row = raw.neighbour(key, side);
      return row && read(row);
    },
  };
  return {
    store,
    flip(key: Uint8Array, bit: number): void {
      flipped = { key, bit };
    },
    repair(): void {
      flipped = undefined;
    },
  };
}

/** A store that fails after a number of writes. */
function interrupted(store: StateStore, writes: number): StateStore {
  let left = writes;
  const write = (rows: readonly Row[]) => {
    if (left-- === 0) throw new Error("killed");
    return store.write(rows);
  };
  return new Proxy(store, {
    get(target, name) {
      const value = name === "write" ? write : Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
