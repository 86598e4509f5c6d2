import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { createNode, type Node } from "../../create-node.ts";
import { COIN, devCalls, OTHER, STRANGER } from "../testing/dev-calls.ts";
import { BOX, openOrigin, put, stored, word } from "./testing/origin.ts";

let origin: Node;
let point = 0n;
beforeAll(async () => {
  origin = await openOrigin();
  point = origin.chain.head.header.number;
});
afterAll(() => origin.stop());

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kairn-fork-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Forwards requests to the origin; the test may make it fail, hang or lie. */
async function proxy(node: Node = origin) {
  const seen = {
    requests: 0,
    failing: false,
    hanging: false,
    mostItems: 1000,
    authorization: undefined as string | undefined,
    /** Whether a request gets an error. */
    refuse: (_body: string): boolean => false,
    /** Transforms the origin's responses. */
    lie: (text: string): string => text,
  };
  const server: Server = createServer(async (request, response) => {
    seen.requests++;
    seen.authorization = request.headers.authorization;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (seen.hanging) return;
    if (seen.failing) return void response.writeHead(500).end();
    const body = Buffer.concat(chunks).toString();
    if (seen.refuse(body)) return void response.end(JSON.stringify(refusals(JSON.parse(body))));
    const { length = 1 } = JSON.parse(Buffer.concat(chunks).toString()) as { length?: number };
    const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } };
    if (length > seen.mostItems) return void response.end(JSON.stringify(refusal));
    const answer = await fetch(node.endpoints.http as string, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.concat(chunks),
    });
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(seen.lie(await answer.text()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/secret-key` };
}

/** The response to a call or a batch: no such method. */
function refusals(asked: { readonly id: number } | readonly { readonly id: number }[]): unknown {
  const error = { code: -32601, message: "the method does not exist" };
  const all = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, error }));
  return Array.isArray(asked) ? all : all[0];
}

describe("a fork", () => {
  it.each([
    ["timestamp", "0x1"],
    ["stateRoot", `0x${word(7)}`],
    ["number", "0x2"],
    ["reward", `0x${"11".repeat(20)}`],
    ["extraData", "0x"],
    ["hash", `0x${word(9)}`],
  ])("is refused if the remote node lies about the %s of its block", async (member, false_) => {
    const { seen, url } = await proxy();
    // Only a header in Kaia's form can be hashed; the hash itself is checked in either form.
    seen.lie = (text) =>
      member === "hash" || text.includes('"reward"')
        ? text.replaceAll(new RegExp(`"${member}":"0x[0-9a-f]*"`, "g"), `"${member}":"${false_}"`)
        : text;
    await expect(createNode({ fork: { url, block: point } })).rejects.toMatchObject({
      code: "REMOTE_FAILED",
      message: expect.stringContaining("kaia_getBlockByNumber is a header that does not have the hash"),
    });
  });

  it("warns if the remote node has only Ethereum's methods and its block does not match its hash", async () => {
    const warned: string[] = [];
    const write = (line: string) => void warned.push(line);
    const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
    const { seen, url } = await proxy();
    const onlyEthereum = /"method":"(?:kaia|klay)_/;
    seen.refuse = (body) => onlyEthereum.test(body);
    await using node = await createNode({ fork: { url, block: point }, logger });
    expect(warned.join("")).toContain("the forked node does not prove its block, and is trusted");
    expect(await devCalls(() => node).balance(STRANGER)).toBe(5n * COIN);
  });

  it("requests nothing twice, and nothing at all after a restart", async () => {
    const { seen, url } = await proxy();
    const fork = { url, block: point, cacheDir: folder() };
    const work = async (node: Node): Promise<void> => {
      const calls = devCalls(() => node);
      expect(await calls.balance(STRANGER)).toBe(5n * COIN);
      expect(await calls.sent("eth_sendTransaction", { from: calls.own(0), ...put(1, 5) })).toMatchObject({
        status: "0x1",
      });
      expect(await stored(calls, 2)).toBe(`0x${word(22)}`);
    };
    {
      await using first = await createNode({ fork });
      await work(first);
      const asked = seen.requests;
      await work(first);
      expect(seen.requests).toBe(asked);
    }
    seen.requests = 0;
    await using again = await createNode({ fork });
    await work(again);
    expect(seen.requests).toBe(0);
  });

  it("prefetches everything a call or a transaction reads in one request", async () => {
    await using plain = await openOrigin();
    const slots = [1, 2, 3, 4, 5, 6, 7, 8];
    const reader = `0x${slots.map((slot) => `6${`0${slot}`.padStart(3, "0")}5450`).join("")}00`;
    await devCalls(() => plain).call("anvil_setCode", OTHER, reader);
    await devCalls(() => plain).call("anvil_setStorageAt", OTHER, "0x1", `0x${word(1)}`);
    const { seen, url } = await proxy(plain);
    for (const ask of ["eth_call", "eth_sendTransaction"]) {
      await using node = await createNode({ fork: { url } });
      const { call, own } = devCalls(() => node);
      const before = seen.requests;
      const asked = { from: own(0), to: OTHER, data: "0x00", gas: "0x30000" };
      await (ask === "eth_call" ? call(ask, asked, "latest") : call(ask, asked));
      expect(seen.requests - before).toBeLessThan(slots.length);
    }
  });

  it("reports what is wrong with the remote node, and continues when it is back", async () => {
    const { seen, url } = await proxy();
    await using node = await createNode({ fork: { url, retries: 0 } });
    const { call, balance, own } = devCalls(() => node);
    seen.failing = true;
    const failure = /the forked node http:\/\/127.0.0.1:\d+ failed: it responds with HTTP 500$/;
    await expect(balance(STRANGER)).rejects.toThrow(failure);
    await expect(call("eth_getBlockByNumber", "0x1", false)).rejects.toThrow(failure);
    const hash = await call("eth_sendTransaction", { from: own(0), to: BOX, value: "0x1", gas: "0x30000" });
    await expect(call("evm_mine")).rejects.toThrow(failure);
    expect(await call("eth_blockNumber")).toBe(`0x${point.toString(16)}`);
    seen.failing = false;
    expect(await balance(STRANGER)).toBe(5n * COIN);
    await call("evm_mine");
    expect(await call("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  });

  it("sends single requests to a node that does not support batches", async () => {
    const { seen, url } = await proxy();
    seen.mostItems = 1;
    await using node = await createNode({ fork: { url } });
    const calls = devCalls(() => node);
    expect([await calls.balance(STRANGER), await stored(calls, 2)]).toEqual([5n * COIN, `0x${word(22)}`]);
  });

  it("retries before it fails", async () => {
    const { seen, url } = await proxy();
    await using node = await createNode({ fork: { url, retries: 2 } });
    seen.failing = true;
    const before = seen.requests;
    const asked = devCalls(() => node).balance(STRANGER);
    await expect.poll(() => seen.requests).toBeGreaterThan(before);
    seen.failing = false;
    expect(await asked).toBe(5n * COIN);
  });

  it("does not keep the node from stopping", async () => {
    const { seen, url } = await proxy();
    const node = await createNode({ fork: { url } });
    seen.hanging = true;
    const asked = expect(devCalls(() => node).balance(STRANGER)).rejects.toThrow(/stopping/);
    await node.stop();
    await asked;
  });

  it("does not start without the remote node, or from a block that it lacks", async () => {
    const { seen, url } = await proxy();
    await expect(createNode({ fork: { url, block: 1_000_000n } })).rejects.toMatchObject({
      code: "FORK_BLOCK",
    });
    seen.failing = true;
    await expect(createNode({ fork: { url, retries: 0 } })).rejects.toMatchObject({ code: "REMOTE_FAILED" });
  });

  it("sends the credentials of its URL, and never shows them", async () => {
    const { seen, url } = await proxy();
    const secret = url.replace("http://", "http://me:pass%20word@");
    await using node = await createNode({ fork: { url: secret, retries: 0 } });
    expect(seen.authorization).toBe(`Basic ${Buffer.from("me:pass word").toString("base64")}`);
    seen.failing = true;
    const error: Error = await devCalls(() => node)
      .balance(STRANGER)
      .then(
        () => new Error("no failure"),
        (cause) => cause,
      );
    expect(`${error.message} ${JSON.stringify(node.fork?.origin)}`).not.toMatch(/pass|secret-key/);
    await expect(createNode({ fork: { url: "no URL" } })).rejects.toMatchObject({ code: "OPTION" });
  });

  it("is persisted in the data folder, with its changes and its block", async () => {
    const [dataDir, cacheDir] = [folder(), folder()];
    const fork = { url: origin.endpoints.http as string, cacheDir };
    const options = { dataDir, fork, ipc: false };
    {
      await using node = await createNode(options);
      const { own, sent } = devCalls(() => node);
      await sent("eth_sendTransaction", { from: own(0), ...put(1, 0) });
      await sent("eth_sendTransaction", { from: own(0), to: OTHER, value: "0x7" });
    }
    await devCalls(() => origin).call("evm_mine");
    {
      await using node = await createNode(options);
      const calls = devCalls(() => node);
      expect(await calls.number()).toBe(Number(point) + 2);
      expect([await stored(calls, 1), await stored(calls, 2)]).toEqual([`0x${word(0)}`, `0x${word(22)}`]);
      expect(await calls.balance(OTHER)).toBe(7n);
    }
    const other = createNode({ ...options, fork: { ...fork, block: point - 1n } });
    await expect(other).rejects.toMatchObject({ code: "GENESIS_MISMATCH" });
    await expect(createNode({ dataDir, dev: true, ipc: false })).rejects.toMatchObject({
      code: "GENESIS_MISMATCH",
      message: expect.stringMatching(/fork of block/),
    });
  });
});
