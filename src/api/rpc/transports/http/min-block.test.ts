import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listener } from "../../../../platform/http/listener.ts";
import { createSimulatedRuntime } from "../../../../platform/runtime/simulated.ts";
import { Registry } from "../../engine/registry.ts";
import { RpcServer } from "../../engine/server.ts";
import { web3Handlers } from "../../handlers/node/web3.ts";
import { BlockWait } from "../../services/block-wait.ts";
import { web3 } from "../../spec/node/web3.ts";
import { listenRpc } from "./server.ts";

const access = new Registry().mount("web3", web3, web3Handlers("test")).access({ unsafe: true });
const runtime = createSimulatedRuntime();
let onHead: () => void = () => {};
const head = { header: { number: 10n } };
const blocks = new BlockWait(
  {
    head,
    onHead(listener) {
      onHead = listener;
      return () => {};
    },
  },
  runtime.timers,
);
let listener: Listener;

beforeAll(async () => {
  const at = { host: "127.0.0.1", port: 0, cors: [], hosts: ["*"] };
  listener = await listenRpc(new RpcServer(), access, at, { blocks });
});
afterAll(() => listener.close());

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "web3_clientVersion" });
const REFUSED = {
  code: -32001,
  message: "not there yet: block 11 was asked for, the newest is 10",
  data: { head: "0xa" },
};

function post(minBlock: string, body: unknown = call(1)): Promise<Response> {
  return fetch(`http://127.0.0.1:${listener.port}`, {
    method: "POST",
    headers: { "content-type": "application/json", "kairn-min-block": minBlock },
    body: JSON.stringify(body),
  });
}

/** Resolves once a request is waiting. */
async function untilWaiting(): Promise<void> {
  while (runtime.scheduled === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("Kairn-Min-Block", () => {
  it.each(["10", "0xa", "0"])("answers immediately if block %s exists", async (minBlock) => {
    expect(await (await post(minBlock)).json()).toMatchObject({ id: 1, result: "test" });
  });

  it("refuses every call of a request whose block does not arrive in time", async () => {
    const answer = post("11", [call(1), call(2)]);
    await untilWaiting();
    await runtime.advance(2_000);
    expect(await (await answer).json()).toEqual([1, 2].map((id) => ({ jsonrpc: "2.0", id, error: REFUSED })));
  });

  it("waits for a block", async () => {
    const answer = post("0xb");
    await untilWaiting();
    head.header.number = 11n;
    onHead();
    expect(await (await answer).json()).toMatchObject({ id: 1, result: "test" });
  });

  it.each(["", "latest", "-1", "1, 2", "9".repeat(19), "0x"])(
    "rejects %o, which is not a number",
    async (minBlock) => {
      const answer = await post(minBlock);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        "Kairn-Min-Block is not the number of a block\n",
      ]);
    },
  );
});
