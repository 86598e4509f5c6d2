import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createNode, type Node } from "../../create-node.ts";

let node: Node;
beforeAll(async () => {
  node = await createNode({
    ...{ http: { port: 0 }, ws: { port: 0 } },
    rpcLimits: { batchItems: 2, batchAnswer: 100, body: 2048 },
    sharedLimits: { subscriptions: 1, connections: 2 },
  });
});
afterAll(() => node.stop());

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });
const post = (body: unknown) =>
  fetch(node.endpoints.http as string, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify(body),
  });

async function socket(): Promise<WebSocket> {
  const opened = new WebSocket(node.endpoints.ws as string);
  await new Promise((resolve, reject) => opened.once("open", resolve).once("error", reject));
  return opened;
}

function answer(client: WebSocket, question: object): Promise<unknown> {
  return new Promise((resolve) => {
    client.once("message", (text) => resolve(JSON.parse(String(text))));
    client.send(JSON.stringify(question));
  });
}

describe("limits set by options", () => {
  it("--rpc.batch-request-limit and --rpc.batch-response-max-size", async () => {
    const batch = (n: number) => post(Array.from({ length: n }, () => call("eth_chainId")));
    expect(await (await batch(2)).json()).toMatchObject([{ result: "0x539" }, { result: "0x539" }]);
    expect(JSON.stringify(await (await batch(3)).json())).toContain("batch too large");
    const long = [call("eth_getBlockByNumber", "0x0", false), call("eth_chainId")];
    expect(JSON.stringify(await (await post(long)).json())).toContain("response too large");
  });

  it("--rpc.max-body", async () => {
    expect((await post(call("web3_sha3", `0x${"00".repeat(500)}`))).status).toBe(200);
    expect((await post(call("web3_sha3", `0x${"00".repeat(1500)}`))).status).toBe(413);
  });

  it("--rpc.max-unsent, including responses in preparation", async () => {
    await using small = await createNode({
      ...{ http: { port: 0 }, ws: { port: 0 } },
      sharedLimits: { unsent: 1024 * 1024 },
    });
    const zeros = `0x${"10".repeat(20)}`;
    const params = [{ to: zeros }, "latest", { [zeros]: { code: "0x620493e06000f3" } }]; // returns 300,000 zeros
    const batch = (items: number) => JSON.stringify(Array(items).fill(call("eth_call", ...params)));
    const { http, ws } = small.endpoints as { http: string; ws: string };
    const headers = { "content-type": "application/json", connection: "close" };
    const answered = async (items: number) =>
      (await fetch(http, { method: "POST", headers, body: batch(items) })).json();
    expect(await answered(1)).toMatchObject([{ result: expect.stringMatching(/^0x(00){300000}$/) }]);
    expect(await answered(4)).toMatchObject({ error: { code: -32005 } });
    const socket = new WebSocket(ws);
    await once(socket, "open");
    socket.pause();
    const closed = once(socket, "close");
    for (let i = 0; i < 40; i++) socket.send(batch(1));
    setTimeout(() => socket.resume(), 500);
    await closed;
  });

  it("10,000 accounts and slots in overrides", async () => {
    const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
    const slots = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [word(n), word(n)]));
    const code = "0x6127005460005260206000f3"; // returns slot 0x2700
    const ask = (members: object) =>
      node.provider.request({
        method: "eth_call",
        params: [
          { to: `0x${"20".repeat(20)}` },
          "latest",
          { [`0x${"20".repeat(20)}`]: { code, ...members } },
        ],
      });
    expect(await ask({ stateDiff: slots(9_999) })).toBe(word(0x2700));
    expect(await ask({ stateDiff: { ...slots(9_998), [word(0x2700)]: word(7) } })).toBe(word(7));
    await expect(ask({ STATE: slots(10_000) })).rejects.toMatchObject({ code: -32602 });
  });

  it("proofs of many slots are made with yields, and equal those of each alone", async () => {
    const address = `0x${"30".repeat(20)}`;
    const prove = (keys: readonly string[]) =>
      node.provider.request({ method: "eth_getProof", params: [address, keys, "latest"] }) as Promise<{
        storageProof: readonly object[];
      }>;
    for (let n = 1; n <= 20; n++)
      await node.provider.request({
        method: "anvil_setStorageAt",
        params: [address, `0x${n.toString(16)}`, `0x${n.toString(16).padStart(64, "0")}`],
      });
    await node.provider.request({ method: "anvil_mine", params: [] });
    const keys = Array.from({ length: 1_000 }, (_, n) => `0x${(n + 1).toString(16)}`);
    const { storageProof, ...rest } = await prove(keys);
    expect(storageProof).toHaveLength(keys.length);
    for (const n of [0, 19, 500]) {
      const alone = await prove(keys.slice(n, n + 1));
      expect(alone).toEqual({ ...rest, storageProof: [storageProof[n]] });
    }
  });

  it("--rpc.max-subscriptions and --rpc.max-connections", async () => {
    const [first, second] = [await socket(), await socket()];
    expect(await answer(first, call("eth_subscribe", "newHeads"))).toHaveProperty("result");
    expect(await answer(second, call("eth_subscribe", "newHeads"))).toHaveProperty("error");
    await expect(socket()).rejects.toThrow();
    first.terminate();
    second.terminate();
  });
});
