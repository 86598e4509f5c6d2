import { beforeAll, describe, expect, it } from "vitest";
import { logsBloom, mergeBlooms } from "../../protocol/block/bloom.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Log, Receipt } from "../../protocol/block/receipt.ts";
import { EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import type { Blockchain } from "./blockchain.ts";
import { SECTION_SIZE } from "./log-index.ts";
import { type LogFilter, searchLogs } from "./log-search.ts";
import { createLedger, genesisOf, type Ledger } from "./testing/ledger.ts";

const address = (n: number) => new Uint8Array(20).fill(n);
const topic = (n: number) => new Uint8Array(32).fill(n);
const log = (from: number, ...topics: number[]): Log => ({
  address: address(from),
  topics: topics.map(topic),
  data: EMPTY_BYTES,
});

/** Commits an empty block whose receipts are given: what a search looks at. */
function addLogs({ chain, consensus, store }: Ledger, logs: readonly Log[][]): void {
  const receipts: Receipt[] = logs.map((list) => ({
    status: 1,
    gasUsed: 0n,
    bloom: logsBloom(list),
    logs: list,
  }));
  const bloom = mergeBlooms(receipts.map((receipt) => receipt.bloom));
  const header = { ...consensus.prepare(chain.tip.header, 0), bloom };
  const staged = store.stage({ accounts: [], codes: [] });
  chain.commit(staged, { block: { header, transactions: [] }, hash: blockHash(header), receipts });
}

describe("a log search", () => {
  let chain: Blockchain;
  const last = SECTION_SIZE + 20;
  const found = (filter: Partial<LogFilter>, from = 0, to = last) =>
    [...searchLogs(chain, { addresses: [], topics: [], ...filter }, BigInt(from), BigInt(to))].map(
      ({ blockNumber, transactionIndex, logIndex }) => [Number(blockNumber), transactionIndex, logIndex],
    );

  beforeAll(async () => {
    const ledger = await createLedger(genesisOf({}));
    chain = ledger.chain;
    for (let number = 1; number <= last; number++) {
      if (number === 5) addLogs(ledger, [[log(1, 7, 8)], [log(2, 7), log(1, 9)]]);
      else if (number === SECTION_SIZE - 1) addLogs(ledger, [[log(1, 7)]]);
      else if (number === SECTION_SIZE + 3) addLogs(ledger, [[log(2, 8, 7), log(1)]]);
      else addLogs(ledger, []);
      await chain.published(200);
    }
    await chain.published();
  });

  it("finds logs by address in indexed and in new blocks", () => {
    const expected = [
      [5, 0, 0],
      [5, 1, 2],
      [SECTION_SIZE - 1, 0, 0],
      [SECTION_SIZE + 3, 0, 1],
    ];
    expect(found({ addresses: [address(1)] })).toEqual(expected);
    expect(found({ addresses: [address(3)] })).toEqual([]);
  });

  it("matches topics by their place, any of several, and whatever stands in an empty place", () => {
    expect(found({ topics: [[topic(7)]] })).toEqual([
      [5, 0, 0],
      [5, 1, 1],
      [SECTION_SIZE - 1, 0, 0],
    ]);
    expect(found({ topics: [[], [topic(7), topic(8)]] })).toEqual([
      [5, 0, 0],
      [SECTION_SIZE + 3, 0, 0],
    ]);
    expect(found({ topics: [[], []] })).toEqual([
      [5, 0, 0],
      [SECTION_SIZE + 3, 0, 0],
    ]);
    expect(found({ addresses: [address(1), address(2)], topics: [[topic(9), topic(8)]] })).toEqual([
      [5, 1, 2],
      [SECTION_SIZE + 3, 0, 0],
    ]);
  });

  it("keeps to its range", () => {
    expect(found({ addresses: [address(1)] }, 6, SECTION_SIZE - 1)).toEqual([[SECTION_SIZE - 1, 0, 0]]);
    expect(found({ addresses: [address(1)] }, 6, SECTION_SIZE - 2)).toEqual([]);
    expect(found({}, SECTION_SIZE, 10 * last)).toEqual([
      [SECTION_SIZE + 3, 0, 0],
      [SECTION_SIZE + 3, 0, 1],
    ]);
  });
});
