import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import type { StateStore } from "../../state/state.ts";
import { type BlockLogs, indexedRow, LogIndex } from "./log-index.ts";
import { type FoundLogs, type LogFilter, searchLogs } from "./log-search.ts";

const address = (n: number) => new Uint8Array(20).fill(n);
const topic = (n: number) => new Uint8Array(32).fill(n);

/** Maximum number of postings in memory: small, so that most are in rows. */
const LIMIT = 40;

/** Indexed blocks, as in a chain. */
class Model {
  readonly #store: StateStore;
  #index: LogIndex;
  blocks: BlockLogs[] = [{ number: 0, logs: [] }];

  constructor(store: StateStore) {
    this.#store = store;
    this.#index = this.#open();
  }

  #open(): LogIndex {
    const after = (number: number) =>
      this.blocks.filter((block) => block.number > number && block.logs.length > 0);
    return new LogIndex(this.#store, after, LIMIT);
  }

  add(logs: Log[][]): void {
    const block = { number: this.blocks.length, logs };
    const { rows, done } = runSync(this.#index.follow(block));
    void this.#store.write(rows);
    done();
    this.blocks.push(block);
  }

  rewind(count: number): void {
    const to = Math.max(0, this.blocks.length - 1 - count);
    const removed = this.blocks.slice(to + 1).reverse();
    const { rows, done } = this.#index.leave(to, removed);
    void this.#store.write(rows);
    done();
    this.blocks = this.blocks.slice(0, to + 1);
  }

  restart(): void {
    this.#index = this.#open();
  }

  found(filter: LogFilter, from: number, to: number): FoundLogs[] {
    const chain = {
      head: { header: { number: BigInt(this.blocks.length - 1) } as never, hash: EMPTY_BYTES },
      logIndex: this.#index,
      logs: (number: bigint, places?: readonly number[]) =>
        placed(this.blocks[Number(number)] as BlockLogs).filter(
          ({ logIndex }) => places?.includes(logIndex) ?? true,
        ),
    };
    return [...searchLogs(chain, filter, BigInt(from), BigInt(to))];
  }

  search(filter: LogFilter, from: number, to: number): string[] {
    return this.found(filter, from, to).flatMap(({ blockNumber, logs }) =>
      logs.map((log) => nameOf(Number(blockNumber), log)),
    );
  }

  /** The same by a scan of all logs. */
  scan(filter: LogFilter, from: number, to: number): string[] {
    return this.blocks
      .filter(({ number }) => number >= from && number <= to)
      .flatMap((block) =>
        placed(block)
          .filter(({ log }) => isWanted(filter, log))
          .map((log) => nameOf(block.number, log)),
      );
  }

  /** Number of rows: none of removed blocks may remain. */
  get rows(): number {
    return [...this.#store.range("logPosting", new Uint8Array(2), new Uint8Array(16).fill(255))].length;
  }
}

/** The rule of `eth_getLogs`, written down once more. */
function isWanted({ addresses, topics }: LogFilter, log: Log): boolean {
  const has = (list: readonly Uint8Array[], wanted: Uint8Array) =>
    list.length === 0 || list.some((each) => String(each) === String(wanted));
  return (
    has(addresses, log.address) &&
    topics.every((list, position) => {
      const own = log.topics[position];
      return own !== undefined && has(list, own);
    })
  );
}

const placed = ({ logs }: BlockLogs) =>
  logs
    .flatMap((list, transactionIndex) => list.map((log) => ({ log, transactionIndex })))
    .map((log, logIndex) => ({ ...log, logIndex }));
const nameOf = (block: number, log: { transactionIndex: number; logIndex: number }) =>
  `${block}/${log.transactionIndex}/${log.logIndex}`;

// low numbers are frequent
const skewed = (max: number) => fc.tuple(fc.nat(max), fc.nat(max)).map(([a, b]) => Math.min(a, b));
const log = fc
  .tuple(skewed(12), fc.array(skewed(30), { maxLength: 4 }))
  .map(([from, topics]) => ({ address: address(from), topics: topics.map(topic), data: EMPTY_BYTES }));
const block = fc.array(fc.array(log, { maxLength: 6 }), { maxLength: 4 });
const step = fc.oneof(
  { weight: 12, arbitrary: block.map((logs) => ({ add: logs })) },
  { weight: 4, arbitrary: fc.nat(30).map((empty) => ({ empty })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((back) => ({ back })) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
);
const filter: fc.Arbitrary<LogFilter> = fc.record({
  addresses: fc.array(skewed(13).map(address), { maxLength: 3 }),
  topics: fc.array(fc.array(skewed(31).map(topic), { maxLength: 3 }), { maxLength: 4 }),
});
const search = fc.record({ filter, from: fc.nat(120), length: fc.nat(250) });

async function emptyStore(): Promise<StateStore> {
  const store = await createStateStore({ engine: "memory" });
  await store.write([indexedRow(0)]);
  return store;
}

describe("a log search", () => {
  it("finds what a full scan finds, however blocks are added, removed and replaced", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 80 }),
        fc.array(search, { minLength: 10, maxLength: 10 }),
        async (steps, searches) => {
          const model = new Model(await emptyStore());
          for (const each of steps) {
            if ("add" in each) model.add(each.add);
            if ("empty" in each) for (let i = 0; i < each.empty; i++) model.add([]);
            if ("back" in each) model.rewind(each.back);
            if ("restart" in each) model.restart();
          }
          for (const { filter, from, length } of searches) {
            expect(model.search(filter, from, from + length)).toEqual(
              model.scan(filter, from, from + length),
            );
          }
          model.rewind(Number.MAX_SAFE_INTEGER);
          expect(model.rows).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("reports its progress where it finds nothing for long, so that it can be interrupted", async () => {
    const model = new Model(await emptyStore());
    const from = (n: number, topics: number[]) => ({
      address: address(n),
      topics: topics.map(topic),
      data: EMPTY_BYTES,
    });
    // each block has the address and the topic, but never in one log
    for (let i = 0; i < 1_000; i++) model.add([[from(1, [3]), from(2, [4])]]);
    const found = model.found({ addresses: [address(1)], topics: [[topic(4)]] }, 1, 1_000);
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThan(20);
    expect(found.flatMap(({ logs }) => logs)).toEqual([]);
    const blocks = found.map(({ blockNumber }) => Number(blockNumber));
    expect(blocks).toEqual([...blocks].sort((a, b) => a - b));
  });

  it("ends at the head, and finds nothing in an empty range", async () => {
    const model = new Model(await emptyStore());
    for (let i = 0; i < 3; i++) model.add([[{ address: address(1), topics: [], data: EMPTY_BYTES }]]);
    const any = { addresses: [], topics: [] };
    expect(model.search(any, 2, 99)).toEqual(["2/0/0", "3/0/0"]);
    expect(model.search(any, 3, 2)).toEqual([]);
  });
});
