import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { LongText } from "../../../api/rpc/spec/values/json-text.ts";
import { createNode, type Node } from "../../create-node.ts";
import { ask, callAs, ownOrigin, sessionOf } from "../../testing/page-client.ts";
import { openStream, streamOf } from "../../testing/page-stream.ts";

let open: Node;
beforeAll(async () => {
  open = await createNode({ dashboard: { port: 0, publicRead: true } });
});
afterAll(() => open.stop());

describe("public readers", () => {
  it("do not use up the limits of sessions, however many calls they have in flight", async () => {
    const session = await sessionOf(open);
    const hashing = { data: "0x5b6104005f20505f56", gas: "0x989680" }; // 1,024 bytes at a time: long in either engine
    const storm = Array.from({ length: 40 }, () => callAs(open, undefined, "kaia_call", [hashing, "latest"]));
    const refused = storm.map(async (answer) => expect((await answer).status).toBe(429));
    await Promise.any(refused);
    expect((await callAs(open, session, "kaia_blockNumber")).status).toBe(200);
    await Promise.allSettled(refused);
  });
});

describe("open pages", () => {
  it("have 120 streams without a session, and do not use up the limits of sessions", async () => {
    const session = await sessionOf(open);
    const before = open.chain.head.header.number;
    const sockets = Array.from({ length: 200 }, () => openStream(open, { origin: ownOrigin(open) }));
    try {
      await Promise.all(
        sockets.map((socket) => new Promise((resolve) => socket.on("open", resolve).on("error", resolve))),
      );
      const states = sockets.map(({ readyState }) => readyState);
      expect(states.filter((state) => state === WebSocket.OPEN).length).toBe(120);
      expect(await streamOf(open, { origin: ownOrigin(open), session })).toBe("open");
      expect((await callAs(open, session, "evm_mine")).status).toBe(200);
      expect(open.chain.head.header.number).toBe(before + 1n);
      expect((await ask(open)).status).toBe(200);
      sockets[0]?.terminate();
      await expect.poll(() => streamOf(open, { origin: ownOrigin(open) })).toBe("open");
    } finally {
      for (const socket of sockets) socket.terminate();
    }
  });
});

describe("long responses", () => {
  it("are sent without being joined into one string", async () => {
    await using node = await createNode({
      dashboard: { port: 0, publicRead: true },
      sealing: { kind: "manual" },
    });
    const [from, to] = (await node.provider.request({ method: "eth_accounts", params: [] })) as string[];
    const send = () =>
      node.provider.request({ method: "eth_sendTransaction", params: [{ from, to, value: "0x1" }] });
    await Promise.all(Array.from({ length: 300 }, send));
    await node.provider.request({ method: "evm_mine" });
    const joined = vi.spyOn(LongText.prototype, "toString");
    const { status, headers, body } = await callAs(node, undefined, "kaia_getBlockByNumber", [
      "latest",
      true,
    ]);
    expect([status, headers["content-type"], joined.mock.calls]).toEqual([200, "application/json", []]);
    expect(body.length).toBeGreaterThan(64 * 1024);
    expect(JSON.parse(body).result.transactions).toHaveLength(300);
  });
});
