import { describe, expect, it } from "vitest";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { TableLogs } from "./table-logs.ts";

const END = new Uint8Array(32).fill(9);
const HERE = new Uint8Array(20).fill(1);
const TOPIC = new Uint8Array(32).fill(3);
const FILTER = { addresses: [HERE], topics: [[TOPIC]] };
const RANGE = { from: 10n, to: 20n };
const row = (fields: object = {}) => ({
  ...{ end_hash: END, block_number: "12", log_index: 0 },
  ...fields,
});

/** Searches in a database that returns these rows. */
function search(rows: readonly object[] | Error, hash = END, now = () => 0) {
  const asked: string[] = [];
  const query = async (text: string) => {
    asked.push(text);
    if (rows instanceof Error) throw rows;
    return rows as never;
  };
  const logs = new TableLogs({ name: "db", query }, { hash: () => hash }, silentLogger, now);
  return { asked, find: () => logs.find(FILTER, RANGE, 0) };
}

describe("logs of the tables", () => {
  it("are grouped by their blocks", async () => {
    const rows = [row(), row({ log_index: 4 }), row({ block_number: "20" })];
    const found = await search(rows).find();
    expect(found?.map(({ blockNumber, places }) => [blockNumber, places])).toEqual([
      [12n, [0, 4]],
      [20n, [0]],
    ]);
  });

  it("are empty if none matches", async () => {
    expect(await search([row({ block_number: null })]).find()).toEqual([]);
  });

  it.each<[string, readonly object[]]>([
    ["the block at the end is missing", []],
    ["the block at the end differs", [row({ end_hash: TOPIC })]],
    ["a block is above the range", [row({ block_number: "21" })]],
    ["a block is below the range", [row({ block_number: "9" })]],
    ["the order is wrong", [row({ log_index: 4 }), row()]],
    ["a place is below the first", [row({ log_index: -1 })]],
    ["the hash at the end is invalid", [row({ end_hash: "0x" })]],
    ["a log is repeated", [row(), row()]],
    ["a number is invalid", [row({ block_number: "x" })]],
  ])("are rejected if %s", async (_, rows) => {
    expect(await search(rows).find()).toBeUndefined();
  });

  it("do not query a failed database for a while", async () => {
    let now = 0;
    const { asked, find } = search(new Error("no answer"), END, () => now);
    expect([await find(), await find()]).toEqual([undefined, undefined]);
    expect(asked).toHaveLength(1);
    now = 5_000;
    await find();
    expect(asked).toHaveLength(2);
  });
});
