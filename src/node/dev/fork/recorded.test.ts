import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseExactJson } from "../../../protocol/params/config-json.ts";
import { createNode, type Node } from "../../create-node.ts";
import { devCalls } from "../testing/dev-calls.ts";

const CHAIN = new URL("../../../../test/fixtures/chains/all-types/", import.meta.url);
const read = (name: string): Buffer => readFileSync(new URL(name, CHAIN));
const packed = (name: string) => JSON.parse(gunzipSync(read(`${name}.json.gz`)).toString());

/** The blocks after these have transactions of all types that the chain has. */
const BEFORE_EACH_TYPE = [3, 4, 5, 6, 9, 14, 59, 61, 62, 83, 88, 99];

/** The compared members of a recorded account. */
interface Recorded {
  readonly account: unknown;
  readonly balance: string;
  readonly nonce: string;
  readonly storage?: Readonly<Record<string, string>>;
}
/** Event of a contract that logs time, proposer and randomness of its block, which differ on a fork. */
const BLOCK_EVENT = "0xdf901245fe5feebdd435f1f16e37923c5a71e6bea3405dc556220f544386e8a2";
const isOfBlock = (topics: unknown): boolean => (topics as string[])[0] === BLOCK_EVENT;

type Receipt = Record<"transactionHash" | "status" | "gasUsed", string> & {
  readonly logs: Record<string, unknown>[];
};

let origin: Node;
beforeAll(async () => {
  const genesis = parseExactJson(read("genesis.json").toString()) as Record<string, never>;
  origin = await createNode({ genesis, history: "archive", http: { port: 0 } });
  await origin.provider.request({
    method: "admin_importChain",
    params: [fileURLToPath(new URL("chain.rlp.gz", CHAIN))],
  });
}, 60_000);
afterAll(() => origin.stop());

const forkAt = (block: number): Promise<Node> =>
  createNode({
    fork: { url: origin.endpoints.http as string, block: BigInt(block) },
    sealing: { kind: "manual" },
  });

it("has every recorded account with its type, key and storage", async () => {
  const recorded = JSON.parse(read("accounts.json").toString()) as Record<string, Record<string, Recorded>>;
  await using node = await forkAt(107);
  const { call } = devCalls(() => node);
  for (const [address, { account, balance, nonce, storage = {} }] of Object.entries(recorded["107"] ?? {})) {
    const got = {
      account: await call("kaia_getAccount", address, "latest"),
      balance: await call("eth_getBalance", address, "latest"),
      nonce: await call("eth_getTransactionCount", address, "latest"),
    };
    expect([address, got]).toEqual([address, { account, balance, nonce }]);
    for (const [slot, value] of Object.entries(storage))
      expect([address, slot, await call("eth_getStorageAt", address, slot, "latest")]).toEqual([
        address,
        slot,
        value,
      ]);
  }
});

it("executes the transactions of the next block, of every type, as recorded", async () => {
  const [transactions, receipts] = [packed("txs"), packed("receipts")];
  const shown = ({ status, gasUsed, logs }: Receipt) => ({
    status,
    gasUsed,
    logs: logs.map(({ address, topics, data }) => ({
      address,
      topics,
      data: isOfBlock(topics) ? "" : data,
    })),
  });
  let compared = 0;
  for (const block of BEFORE_EACH_TYPE) {
    await using node = await forkAt(block);
    const { call } = devCalls(() => node);
    const sent = new Set<unknown>();
    for (const { raw } of transactions[block + 1] ?? [])
      await call("kaia_sendRawTransaction", raw).then(
        (hash) => sent.add(hash),
        // What a pool refuses: anchoring from outside, blobs without their sidecars.
        (error: Error) => expect(error.message).toMatch(/anchoring|sidecar/),
      );
    await call("anvil_mine", 3);
    for (const want of (receipts[block + 1] ?? []) as Receipt[]) {
      if (!sent.has(want.transactionHash)) continue;
      const got = (await call("kaia_getTransactionReceipt", want.transactionHash)) as Receipt;
      expect([want.transactionHash, shown(got)]).toEqual([want.transactionHash, shown(want)]);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(60);
}, 60_000);
