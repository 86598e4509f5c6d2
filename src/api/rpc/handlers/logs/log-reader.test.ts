import { describe, expect, it } from "vitest";
import { type LogFilter, logsOfBlock } from "../../../../ledger/chain/logs/log-search.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import { HeadTexts } from "../chain/head-texts.ts";
import type { FoundText } from "./log-collector.ts";
import { type LogPlaces, LogReader, type WideLogSearch } from "./log-reader.ts";

const word = (n: number) => new Uint8Array(32).fill(n);
const [TOKEN, OTHER] = [1, 2].map((n) => new Uint8Array(20).fill(n)) as [Uint8Array, Uint8Array];
/** The addresses that emitted logs, in order, by block. */
const WRITTEN: Readonly<Record<string, readonly Uint8Array[]>> = { "3": [OTHER, TOKEN], "7": [TOKEN] };

const chain = {
  head: { header: { number: 9n } },
  hash: (number: bigint) => word(Number(number)),
  transactionHashAt: () => word(0xee),
  logs: (number: bigint, places?: readonly number[]) =>
    (WRITTEN[String(number)] ?? [])
      .map((address, logIndex) => ({
        log: { address, topics: [], data: new Uint8Array([Number(number)]) },
        ...{ transactionIndex: 0, logIndex },
      }))
      .filter(({ logIndex }) => places?.includes(logIndex) ?? true),
};
const search = function* (filter: LogFilter, from: bigint, to: bigint) {
  for (let number = from; number <= to && number <= 9n; number++)
    yield { blockNumber: number, logs: logsOfBlock(chain as never, filter, number) };
};
const pace = { isDue: () => false, yield: async () => {} };
const reads = { run: (_: unknown, collect: (to: typeof pace) => unknown) => collect(pace) };

/** The text with which a range is refused. */
function refusal(fromBlock: bigint, toBlock: bigint): unknown {
  const reader = { chain, resolve: (number: bigint) => number } as unknown as ChainReader;
  const parts = { reads, texts: new HeadTexts(chain as never), limits: { range: 0, items: 0, timeMs: 0 } };
  const logs = new LogReader(reader, search, parts as never);
  const query = { fromBlock, toBlock, addresses: [], topics: [] };
  try {
    logs.find(query as never, {} as never);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The response where the wide search returns these positions. */
async function answered(places: readonly LogPlaces[] | undefined): Promise<unknown> {
  const wide: WideLogSearch = { atLeast: 5n, find: async () => places };
  const reader = { chain, resolve: (number: bigint) => number } as unknown as ChainReader;
  const parts = { reads, texts: new HeadTexts(chain as never), limits: { range: 0, items: 0, timeMs: 0 } };
  const logs = new LogReader(reader, search, parts as never, wide);
  const query = { fromBlock: 1n, toBlock: 9n, addresses: [TOKEN], topics: [] };
  const { text } = (await logs.find(query as never, {} as never)) as FoundText;
  return JSON.parse(String(text));
}

describe("a range of blocks that do not exist yet", () => {
  it.each([
    [1n, 10n, "the header does not exist (block number: 10)"],
    [1n, 99n, "the header does not exist (block number: 10)"],
    [12n, 13n, "the header does not exist (block number: 12)"],
    [13n, 12n, undefined],
    [1n, 9n, undefined],
  ])("%s to %s is refused at the first one of them, as by the reference", (from, to, text) => {
    expect(refusal(from, to)).toBe(text);
  });
});

describe("log positions from a wide search", () => {
  const whole = [
    { blockNumber: 3n, places: [1] },
    { blockNumber: 7n, places: [0] },
  ];

  it("are looked up in the chain", async () => {
    const logs = (await answered(whole)) as { blockNumber: string; logIndex: string; data: string }[];
    expect(logs.map(({ blockNumber, logIndex, data }) => [blockNumber, logIndex, data])).toEqual([
      ["0x3", "0x1", "0x03"],
      ["0x7", "0x0", "0x07"],
    ]);
  });

  it.each<[string, readonly LogPlaces[] | undefined]>([
    ["it has no answer", undefined],
    ["one log does not match", [{ blockNumber: 3n, places: [0, 1] }]],
    ["there is no such log", [{ blockNumber: 3n, places: [1, 2] }]],
    ["there is no log in the block", [{ blockNumber: 2n, places: [0] }]],
    ["the last of several is wrong", [whole[0] as LogPlaces, { blockNumber: 5n, places: [0] }]],
  ])("are replaced by a search of the chain where %s", async (_, places) => {
    expect(await answered(places)).toEqual(await answered(whole));
  });
});
