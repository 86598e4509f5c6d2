import { describe, expect, it } from "vitest";
import type { Log } from "../../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../../protocol/block/receipt-codec.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { signTransaction } from "../../../protocol/transaction/signing.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import type { BlockTotals } from "../../execution/block.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { Blockchain } from "../blockchain.ts";
import { BlockTable } from "../tables/block-table.ts";
import { CHAIN_ID, createLedger, genesisOf, type Ledger } from "../testing/ledger.ts";
import { buildLogIndex } from "./build-log-index.ts";
import { type LogFilter, logsOfBlock, searchLogs } from "./log-search.ts";
import { POSTING_TABLE, postingRow } from "./posting-row.ts";
import { verifyLogIndex } from "./verify-log-index.ts";

const GENESIS = genesisOf({});
const KEY = new Uint8Array(32).fill(7);
/** Enough for postings to become rows every few blocks. */
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

/** Commits a block that pretends that its two transactions left these logs. */
function addLogs({ chain, consensus, store }: Ledger, logs: readonly Log[]): void {
  const header = consensus.prepare(chain.tip.header, 0);
  const half = logs.length / 2;
  const receipts = [logs.slice(0, half), logs.slice(half)].map((list) => ({
    ...{ status: 1, gasUsed: 0n, bloom: EMPTY_BYTES },
    logs: list,
  }));
  const transactions = [0n, 1n].map((i) => transaction(2n * header.number + i));
  const changes = { accounts: [], codes: [] };
  const totals = { receipts } as unknown as BlockTotals;
  chain.append({ block: { header, transactions }, totals, changes, staged: store.stage(changes) });
}

/** Blocks whose logs have topics by number of the block, by place in it, and from elsewhere. */
function grow(ledger: Ledger, count: number, seed = 0): void {
  for (let i = 0; i < count; i++) {
    const number = Number(ledger.chain.tip.header.number) + 1;
    const logs = Array.from({ length: LOGS_PER_BLOCK }, (_, place) => ({
      address: address(place % 3),
      topics: [topic(number), topic(place % 50), topic(seed)].slice(0, (place % 4) + 1),
      data: EMPTY_BYTES,
    }));
    addLogs(ledger, number % 7 === 0 ? [] : logs);
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
  it("follows blocks that come, go and come back as others, and a start", async () => {
    const ledger = await createLedger(GENESIS);
    grow(ledger, 12);
    await ledger.chain.published();
    expectAllFound(ledger.chain);
    await ledger.chain.rewind(11n);
    await ledger.chain.rewind(5n);
    expectAllFound(ledger.chain);
    grow(ledger, 9, 1);
    await ledger.chain.published();
    expectAllFound(ledger.chain);
    const reopened = await createLedger(GENESIS, { store: ledger.store });
    expectAllFound(reopened.chain);
    grow(reopened, 6, 2);
    await reopened.chain.published();
    expectAllFound(reopened.chain);
    await reopened.chain.rewind(0n);
    expect(rowsOf(ledger.store, POSTING_TABLE)).toEqual([Uint8Array.of(0)]);
  });

  it("shows no logs of blocks that are not public yet", async () => {
    const ledger = await createLedger(GENESIS);
    grow(ledger, 4);
    expect(ledger.chain.logs(1n)).toEqual([]);
    expect([...searchLogs(ledger.chain, FILTERS[0] as LogFilter, 0n, 4n)]).toEqual([]);
  });

  it("is found out when it is not that of the chain", async () => {
    const ledger = await createLedger(GENESIS);
    grow(ledger, 12);
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

  it("is built for the chain of an older version, also after an interruption", async () => {
    const ledger = await createLedger(GENESIS);
    grow(ledger, 18);
    await ledger.chain.published();
    const { store } = ledger;
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
    const reopened = await createLedger(GENESIS, { store });
    expectAllFound(reopened.chain);
    await buildLogIndex(store, () => expect.unreachable());
  });
});

/** A store that takes only so many writes. */
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
