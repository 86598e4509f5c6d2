import { expect, it } from "vitest";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { createNode } from "../../index.ts";

async function watchedNode(requestIds: boolean) {
  const lines: string[] = [];
  const log = createLogger({
    verbosity: 2,
    format: "json",
    now: Date.now,
    write: (line) => lines.push(line),
  });
  const node = await createNode({ logger: log.logger, logLevels: log, http: { port: 0 }, requestIds });
  const post = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "mine", method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(node.endpoints.http as string, { method: "POST", headers, body });
    return (await answer.json()) as { error?: { code: number; data?: { requestId?: number } } };
  };
  const answered = () =>
    lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "answered");
  return { node, post, answered };
}

it("calls are logged with their IDs if the level includes them, by module and at run time", async () => {
  const { node, post, answered } = await watchedNode(false);
  await post("eth_chainId");
  expect(answered()).toEqual([]);
  await post("debug_verbosityByName", "rpc", 4);
  await post("eth_chainId");
  await post("eth_getBalance");
  await post("nobody_hasThis".repeat(1000));
  expect(answered()).toMatchObject([
    { level: "debug", room: "rpc", method: "eth_getBalance", code: -32602, ms: expect.any(Number) },
    { level: "debug", method: "nobody_hasThis".repeat(1000).slice(0, 60), code: -32601 },
  ]);
  const [first, second] = answered();
  expect(second.request).toBe(first.request + 1);
  await post("debug_vmodule", "rpc=5");
  await post("eth_chainId");
  expect(answered().at(-1)).toMatchObject({ level: "trace", method: "eth_chainId" });
  await post("debug_verbosity", 2);
  const before = answered().length;
  await post("eth_getBalance");
  expect(answered()).toHaveLength(before);
  await node.stop();
});

it("errors contain the ID of their call if configured", async () => {
  const { node, post, answered } = await watchedNode(true);
  await post("debug_verbosityByName", "rpc", 4);
  const { error } = await post("eth_getBalance");
  expect(error?.data?.requestId).toBe(answered()[0].request);
  await node.stop();
  const silent = await watchedNode(false);
  expect((await silent.post("eth_getBalance")).error?.data).not.toHaveProperty("requestId");
  await silent.node.stop();
});
