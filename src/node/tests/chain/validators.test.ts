import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { roundOf } from "../../../protocol/block/istanbul-extra.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";

const fixtures = new URL("../../../../test/fixtures/chains/bft4/", import.meta.url);
const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), "utf8"));
const genesis = readJson("genesis.json");
/** Four of the genesis, and one that is not among them. The first may vote. */
const validators = readJson("validators.json") as readonly { address: string; nodeKey: string }[];
const keyOf = (index: number) => hexToBytes(validators[index]?.nodeKey ?? "");

type Start = (nodeKey: Uint8Array, nodes?: readonly string[], options?: NodeOptions) => Promise<Node>;

/** The nodes of a test, which end with it. */
const it = test.extend<{
  readonly start: Start;
  /** Starts the four validators, each connected to those before it. */
  readonly startFour: () => Promise<Node[]>;
}>({
  start: async ({ task: _ }, use) => {
    const running: Node[] = [];
    await use(async (nodeKey, nodes = [], options = {}) => {
      const peers = { port: 0, host: "127.0.0.1", nodes, ...options.peers };
      const node = await createNode({ dev: false, genesis, ...options, nodeKey, peers });
      running.push(node);
      return node;
    });
    for (const node of running.reverse()) await node.stop();
  },
  startFour: ({ start }, use) =>
    use(async () => {
      const nodes: Node[] = [];
      const urls: string[] = [];
      for (let i = 0; i < 4; i++) {
        const node = await start(keyOf(i), [...urls]);
        nodes.push(node);
        urls.push(await urlOf(node));
      }
      return nodes;
    }),
});

const call = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });
const height = (node: Node) => Number(node.chain.head.header.number);
const patient = { timeout: 60_000, interval: 50 };

async function urlOf(node: Node): Promise<string> {
  const { id, ports } = (await call(node, "admin_nodeInfo")) as { id: string; ports: { listener: number } };
  return `kni://${id}@127.0.0.1:${ports.listener}`;
}

// side by side: most of the time they wait for the next block
describe.concurrent("four validators", { timeout: 120_000 }, () => {
  it("seal blocks that an endpoint follows, including transactions sent to the endpoint", async ({
    expect,
    startFour,
    start,
  }) => {
    const nodes = await startFour();
    const endpoint = await start(new Uint8Array(32).fill(9), [await urlOf(nodes[2] as Node)]);
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(5);
    for (const node of nodes) {
      await expect.poll(() => height(node), patient).toBeGreaterThanOrEqual(5);
      expect(node.chain.hash(5n)).toEqual(endpoint.chain.hash(5n));
      expect(await call(node, "net_peerCountByType")).toMatchObject({ cn: 3 });
    }
    expect(await call(endpoint, "admin_peers")).toMatchObject([{ networks: [{ nodeType: "cn" }] }]);
    expect(await call(endpoint, "istanbul_getValidators", "0x5")).toHaveLength(4);
  });

  it("remove a validator by vote, which then follows, and add it again", async ({ expect, startFour }) => {
    const nodes = await startFour();
    const [first, , , last] = nodes as [Node, Node, Node, Node];
    await expect.poll(() => height(last), patient).toBeGreaterThanOrEqual(2);
    const address = validators[3]?.address;
    const seats = async () => ((await call(first, "istanbul_getValidators", "latest")) as string[]).length;
    await call(first, "governance_vote", "governance.removevalidator", address);
    await expect.poll(seats, patient).toBe(3);
    const without = height(first);
    await expect.poll(() => height(last), patient).toBeGreaterThanOrEqual(without + 4);
    await call(first, "governance_vote", "governance.addvalidator", address);
    await expect.poll(seats, patient).toBe(4);
    const own = () => {
      const { header } = last.chain.head;
      return bytesToHex(authorOf(header)) === address?.toLowerCase() && Number(header.number) > without;
    };
    await expect.poll(own, patient).toBe(true);
    expect(roundOf(last.chain.head.header.extra)).toBe(0);
  });

  it("apply an operator's settings to the blocks that validator proposes, without pauses", async ({
    expect,
    startFour,
  }) => {
    const [first] = (await startFour()) as [Node];
    expect(await call(first, "miner_setExtra", "first of four")).toBe(true);
    await expect(call(first, "miner_stop")).rejects.toThrow("a validator among several cannot pause sealing");
    await expect(call(first, "miner_start")).rejects.toThrow(
      "a validator among several cannot pause sealing",
    );
    const texts = () =>
      Array.from({ length: height(first) }, (_, i) => first.chain.header(BigInt(i + 1))).map((header) =>
        Buffer.from(header?.extra.subarray(0, 13) ?? []).toString(),
      );
    await expect.poll(texts, patient).toContain("first of four");
  });

  it("reject a consensus node outside the council, and accept an endpoint", async ({ expect, start }) => {
    const validator = await start(keyOf(0));
    const stranger = await start(keyOf(4), [await urlOf(validator)], { peers: { nodeType: "cn" } });
    const endpoint = await start(new Uint8Array(32).fill(9), [await urlOf(validator)]);
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x1");
    expect(await call(stranger, "admin_peers")).toEqual([]);
    await expect
      .poll(() => call(validator, "net_peerCountByType"), patient)
      .toMatchObject({ en: 1, total: 1 });
  });

  it("cause a warning on a node that seems meant to be one and is not, but not on an endpoint", async ({
    expect,
    start,
  }) => {
    const linesOf = async (nodeType?: "cn" | "pn" | "en") => {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const { logger } = createLogger({ verbosity: 2, format: "json", now: Date.now, write });
      await start(keyOf(4), [], { logger, ...(nodeType && { peers: { nodeType } }) });
      return lines.filter((line) => line.includes("seals no blocks")).length;
    };
    expect(await linesOf()).toBe(1);
    expect(await linesOf("cn")).toBe(1);
    expect(await linesOf("pn")).toBe(0);
    expect(await linesOf("en")).toBe(0);
  });

  it("do not start with a BLS key other than the registered one", async ({ expect }) => {
    const blsNodeKey = new Uint8Array(32).fill(7);
    await expect(createNode({ dev: false, genesis, nodeKey: keyOf(0), blsNodeKey })).rejects.toThrow(
      /the BLS key of validator 0x[0-9a-f]{40} is not the one in the chain's registry/,
    );
  });
});
