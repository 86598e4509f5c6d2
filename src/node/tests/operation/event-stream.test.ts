import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallFrame, internalTrace } from "../../../api/stream/groups/trace-group.ts";
import type { ConfigJson } from "../../../protocol/params/config-json.ts";
import { createNode, type Node } from "../../index.ts";

const chain = (name: string) =>
  new URL(`../../../../test/fixtures/chains/all-types/${name}`, import.meta.url);
const unpacked = (url: URL) => JSON.parse(gunzipSync(readFileSync(url)).toString());
const HEAD = 107;

type Rendered = Record<string, unknown>;

/** The content of the reference's stream for a block, assembled from its recorded responses. */
function expectedBlock(number: number): Rendered {
  const { kaia } = blocks[number] as { kaia: Rendered };
  const { committee, proposer, originProposer, round } = istanbul[number] as Rendered;
  return { ...kaia, committee, proposer, originProposer, round, transactions: receipts[number] ?? [] };
}

/** As Go writes a map. The lists within are maps and structures in the order that was recorded. */
function sorted(members: Rendered): Rendered {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const blocks: Record<number, unknown> = unpacked(chain("blocks.json.gz"));
const istanbul: Record<number, unknown> = unpacked(chain("istanbul.json.gz"));
const receipts: Record<number, Rendered[]> = unpacked(chain("receipts.json.gz"));

describe("the event stream of a chain with every type of transaction", () => {
  let node: Node;
  let folder: string;
  /** Texts of the messages by topic, in order. */
  let published: { readonly topic: string; readonly key: string; readonly text: string }[];
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kairn-stream-"));
    const file = join(folder, "stream.jsonl");
    node = await createNode({
      genesis: JSON.parse(readFileSync(chain("genesis.json"), "utf8")) as ConfigJson,
      history: "archive",
      eventStream: {
        ...{ mode: "file", file, noDefault: true, environment: "test", resource: "en-7" },
        ...{ handlers: 3, maxBytes: 2 * 1024 * 1024 },
      },
    });
    await call("admin_importChain", fileURLToPath(chain("chain.rlp.gz")));
    await call("chaindatafetcher_startRangeFetching", 0, HEAD, "all");
    while ((await call("chaindatafetcher_status")) !== "{fetching: 0, rangeFetching: 0}")
      await new Promise((resolve) => setTimeout(resolve, 20));
    published = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const { topic, key } = JSON.parse(line) as { topic: string; key: string };
        return { topic, key, text: line.slice(line.indexOf('"value":') + 8, -1) };
      });
  }, 120_000);

  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true });
  });

  it("has every block but the genesis in order, in the reference's JSON", () => {
    const groups = published.filter(
      ({ topic }) => topic === "test.klaytn.chaindatafetcher.en-7.blockgroup.v1",
    );
    expect(groups.map(({ key }) => key)).toEqual(Array.from({ length: HEAD }, (_, i) => String(i + 1)));
    for (const { key, text } of groups) {
      const expected = `{"blockNumber":${key},"result":${JSON.stringify(sorted(expectedBlock(Number(key))))}}`;
      expect(text).toBe(expected);
    }
  });

  it("has the calls of every block with transactions, as traced by the reference", () => {
    const groups = published.filter(
      ({ topic }) => topic === "test.klaytn.chaindatafetcher.en-7.tracegroup.v1",
    );
    expect(groups.map(({ key }) => key)).toEqual(Object.keys(receipts));
    const byBlock = new Map(groups.map(({ key, text }) => [Number(key), JSON.parse(text).result]));
    for (const [block, list] of byBlock) expect(list).toHaveLength((receipts[block] as Rendered[]).length);
    const recorded = unpacked(new URL("../../../../test/fixtures/traces/all-types.json.gz", import.meta.url));
    let compared = 0;
    for (const { block, index, tracer, result } of Object.values(recorded) as {
      block: number;
      index: number;
      tracer: string;
      result: CallFrame;
    }[]) {
      if (tracer !== "callTracer") continue;
      expect(byBlock.get(block)[index]).toEqual(internalTrace(result));
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });

  it("reports its configured limits of prefetching", async () => {
    expect(await call("chaindatafetcher_getConfig")).toMatchObject({
      NumHandlers: 3,
      MaxProcessingDataSize: 2,
    });
  });

  it("rejects what the reference rejects, with its texts", async () => {
    const refusal = (method: string, ...params: unknown[]) =>
      call(`chaindatafetcher_${method}`, ...params).then(
        () => "none",
        ({ code, message }) => `${code} ${message}`,
      );
    expect(await refusal("stopFetching")).toBe("-32000 fetching is not running");
    expect(await refusal("stopRangeFetching")).toBe("-32000 range fetching is not running");
    expect(await refusal("startRangeFetching", 1, 2, "blocks")).toBe(
      "-32000 the request type should be 'all', 'block', 'trace', or uint type",
    );
    expect(await refusal("startRangeFetching", 1, 2, 8)).toBe("-32000 the request type is not valid");
    expect(await refusal("startRangeFetching", 1, 108, 48)).toContain("the newest block is 107");
    await call("chaindatafetcher_startFetching");
    expect(await refusal("startFetching")).toBe("-32000 fetching is already started");
    expect(await refusal("writeCheckpoint", 3)).toBe(
      "-32000 call stopFetching before writing checkpoint manually",
    );
    await call("chaindatafetcher_stopFetching");
    await call("chaindatafetcher_writeCheckpoint", 3);
    expect(await call("chaindatafetcher_readCheckpoint")).toBe(3);
  });
});
