import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { createNode, type Node } from "../../create-node.ts";
import { RemoteNode } from "./remote-node.ts";
import { LONG_RESPONSE, readResponses } from "./remote-responses.ts";

const BLOCK = {
  ...{ number: "0x1", timestamp: "0x1", hash: `0x${"11".repeat(32)}`, parentHash: `0x${"00".repeat(32)}` },
};

/** A node with Ethereum's methods that returns a balance of 7, and other results as given. */
async function serveOrigin(results: Readonly<Record<string, string>> = {}) {
  const seen: IncomingHttpHeaders[] = [];
  const resultOf = (method: string): string => {
    if (method === "eth_chainId") return '"0x7"';
    if (method === "eth_getBlockByNumber") return results[method] ?? JSON.stringify(BLOCK);
    if (method.startsWith("eth_get")) return method === "eth_getCode" ? '"0x"' : '"0x7"';
    return results[method] ?? "";
  };
  const answer = ({ id, method }: { id: number; method: string }): string => {
    const result = resultOf(method);
    return result === ""
      ? `{"id":${id},"error":{"code":-32601,"message":"no such method"}}`
      : `{"id":${id},"result":${result}}`;
  };
  const server = createServer((request, response) => {
    seen.push(request.headers);
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const asked = JSON.parse(text);
      response.end(Array.isArray(asked) ? `[${asked.map(answer).join()}]` : answer(asked));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const ask = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });
const address = (byte: string) => `0x${byte.repeat(20)}`;

it("shows the headers of a node to no other, and keeps in its cache nothing that another says", async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), "kairn-forks-"));
  onTestFinished(() => rmSync(cacheDir, { recursive: true, force: true }));
  const [first, other] = [await serveOrigin(), await serveOrigin()];
  const headers = { authorization: "Bearer secret" };
  {
    await using node = await createNode({ fork: { url: first.url, headers, cacheDir } });
    await ask(node, "eth_getBalance", address("12"), "latest");
    expect(first.seen.every(({ authorization }) => authorization === headers.authorization)).toBe(true);
    await ask(node, "anvil_setRpcUrl", other.url);
    expect(await ask(node, "eth_getBalance", address("34"), "latest")).toBe("0x7");
    expect(other.seen.length).toBeGreaterThan(0);
    expect(other.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    await ask(node, "anvil_setRpcUrl", `${first.url}/again`);
    await ask(node, "eth_getBalance", address("56"), "latest");
    expect(first.seen.at(-1)?.authorization).toBe(headers.authorization);
  }
  const kept = readdirSync(cacheDir, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const text = kept.map((name) => readFileSync(join(cacheDir, name), "utf8")).join("");
  expect(text).toContain(address("12"));
  expect(text).not.toContain(address("34"));
});

it("passes on a long result as it is", async () => {
  const trace = `[${'{"gas":123456789,"op":"<"},'.repeat(30_000)}1]`;
  const { url } = await serveOrigin({ debug_traceBlockByNumber: trace });
  await using node = await createNode({ http: { port: 0 }, fork: { url } });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "debug_traceBlockByNumber", params: ["0x0"] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(node.endpoints.http as string, { method: "POST", headers, body });
  const result = trace.replaceAll("<", "\\u003c");
  const text = await response.text();
  expect(text.length).toBeGreaterThan(LONG_RESPONSE);
  expect(text === `{"jsonrpc":"2.0","id":1,"result":${result}}\n`).toBe(true);
});

const request = { jsonrpc: "2.0" as const, id: 1, method: "eth_call", params: [] };

/** Reads a response, counting how often others had a turn. */
async function read(text: string, secrets: readonly string[] = []) {
  let turns = 0;
  const pace = { isDue: () => true, yield: async () => void turns++ };
  const [response] = await readResponses(Buffer.from(text), [request], { isExact: false, pace, secrets });
  return { result: response?.result, error: response?.error, turns };
}

it("parses long responses in turns with other work", async () => {
  const list = (count: number) => `{"id":1,"result":[${"1,".repeat(count - 1)}1]}`;
  const short = await read(list(1000));
  expect([(short.result as Json[]).length, short.turns]).toEqual([1000, 0]);
  const long = await read(list(LONG_RESPONSE));
  expect((long.result as Json[]).length).toBe(LONG_RESPONSE);
  expect(long.turns).toBeGreaterThan(1000);
  const names = Array.from({ length: 70_000 }, (_, i) => `"name${i}":1`).join();
  await expect(read(`{"id":1,"result":{${names}}}`)).rejects.toThrow("an object of more than 65536 members");
});

it("parses one long response at a time, since its values may take several times its memory", async () => {
  const { url } = await serveOrigin({ debug_traceCall: `[${"1,".repeat(LONG_RESPONSE)}1]` });
  const node = new RemoteNode({ url, timers: systemRuntime.timers });
  onTestFinished(() => node.close());
  let turns = 0;
  vi.spyOn(node.pace, "isDue").mockReturnValue(true);
  vi.spyOn(node.pace, "yield").mockImplementation(async () => {
    turns++;
    await new Promise(setImmediate);
  });
  const endsAfter = async () => {
    await node.call("debug_traceCall");
    return turns;
  };
  const ends = (await Promise.all([endsAfter(), endsAfter(), endsAfter()])).sort((a, b) => a - b);
  const each = (ends[2] as number) / 3;
  expect(each).toBeGreaterThan(1_000);
  for (const [i, end] of ends.entries()) expect(Math.abs(end - (i + 1) * each)).toBeLessThan(each / 4);
});

it("drops the data of an error that is too long to be passed on in one piece", async () => {
  const error = (length: number) =>
    read(`{"id":1,"error":{"code":3,"message":"reverted","data":"0x${"ab".repeat(length)}"}}`);
  expect((await error(1000)).error?.data).toHaveLength(2002);
  expect((await error(1 << 20)).error).toEqual({ code: 3, message: "reverted" });
});

it("passes on no key that an error of the origin repeats", async () => {
  const said = (data: string) =>
    `{"id":1,"error":{"code":1,"message":"no access with secret-key","data":${data}}}`;
  const message = "no access with …";
  expect((await read(said('{"key":["secret-key"]}'), ["secret-key"])).error).toEqual({ code: 1, message });
  expect((await read(said('"0x"'), ["secret-key"])).error).toEqual({ code: 1, message, data: "0x" });
});

it("hides the operator's key and headers from callers", async () => {
  const key = "0123456789abcdef0123";
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const asked: { id: number }[] = [JSON.parse(text)].flat();
      const message = `${request.url} ${request.headers.authorization} may not`;
      response.end(JSON.stringify(asked.map(({ id }) => ({ id, error: { code: 1, message } }))));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${key}`;
  const fork = { url, headers: { Authorization: "Bearer operators-own-token" } };
  const error = await createNode({ fork }).catch((thrown) => thrown);
  expect(error.message).toBe("/v2/… … may not");
});
