import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { api } from "../../../api/rpc/spec/api.ts";
import { createNode, type Node } from "../../create-node.ts";

type Params = readonly unknown[];

/** Calls over HTTP, as an operator's script does. @returns `result`, or the error's text */
async function post(url: string, method: string, params: Params = []): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  return error ? `error: ${error.message}` : result;
}

async function modulesOver(url: string): Promise<unknown> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.send('{"jsonrpc":"2.0","id":1,"method":"rpc_modules"}');
  const [data] = await once(socket, "message");
  socket.close();
  return JSON.parse(String(data)).result;
}

/** Number of metrics in a tree. */
function countLeaves(tree: object): number {
  return Object.values(tree).reduce((sum: number, part: unknown) => {
    const isMetric = typeof part !== "object" || part === null || "Overall" in part;
    return sum + (isMetric ? 1 : countLeaves(part));
  }, 0);
}

describe("an operator", () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-operator-"));
  let node: Node;
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params } as never);

  beforeAll(async () => {
    node = await createNode({
      ...{ http: { port: 0 }, ws: { port: 0, modules: ["eth", "net"] } },
      ...{ dumpDir: folder, unsafeHost: true },
    });
  }, 30_000);
  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true });
  });

  async function send(): Promise<string> {
    const [from] = (await call("eth_accounts")) as string[];
    const mined = new Promise<void>((resolve) => {
      const stop = node.chain.onHead(() => {
        stop();
        resolve();
      });
    });
    const hash = (await call("eth_sendTransaction", { from, to: from, value: "0x1" })) as string;
    await mined;
    return hash;
  }

  it("stops and starts listeners while the node runs", async () => {
    const { ws } = node.endpoints;
    expect(await call("admin_stopWS")).toBe(true);
    expect(node.endpoints.ws).toBeUndefined();
    await expect(call("admin_stopWS")).rejects.toThrow("WebSocket RPC not running");
    const port = Number(new URL(ws as string).port);
    expect(await call("admin_startWS", "127.0.0.1", port, "*", "eth,admin,debug")).toBe(true);
    expect(node.endpoints.ws).toBe(ws);
    await expect(call("admin_startWS")).rejects.toThrow(`WebSocket RPC already running on 127.0.0.1:${port}`);
  });

  it("cannot open more modules than were open at launch", async () => {
    const url = node.endpoints.http as string;
    expect(await post(url, "admin_stopHTTP")).toBe(true);
    await call("admin_startHTTP", "127.0.0.1", Number(new URL(url).port), null, "net,eth");
    expect(await post(url, "rpc_modules")).toEqual({ eth: "1.0", net: "1.0", rpc: "1.0" });
    await call("admin_stopWS");
    await call("admin_startWS", "127.0.0.1", 0, "*", "eth,admin");
    expect(await modulesOver(node.endpoints.ws as string)).toEqual({ eth: "1.0", rpc: "1.0" });
  });

  it("exports the chain to a new file and goes back", async () => {
    await send();
    const head = BigInt((await call("eth_blockNumber")) as string);
    const file = join(folder, "chain.rlp.gz");
    expect(await call("admin_exportChain", file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const name of [file, "chain.rlp.gz"])
      await expect(call("admin_exportChain", name)).rejects.toThrow(
        "location would overwrite an existing file",
      );
    expect(await call("admin_importChain", "chain.rlp.gz")).toBe(true);
    expect(await call("debug_setHead", `0x${(head - 1n).toString(16)}`)).toBeNull();
    expect(await call("eth_blockNumber")).toBe(`0x${(head - 1n).toString(16)}`);
    for (const beyond of ["0xffff", 2 ** 63, "pending"])
      await expect(call("debug_setHead", beyond)).rejects.toThrow("Cannot rewind to future");
  });

  it("copies the chain over a port only into the folder for dumps, over IPC anywhere", async () => {
    const root = mkdtempSync(join(tmpdir(), "kairn-copies-"));
    const [dataDir, dumps, outside] = ["data", "dumps", "outside"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    const keeper = await createNode({
      dataDir,
      dev: {},
      dumpDir: dumps,
      unsafeHost: true,
      http: { port: 0 },
    });
    const ask = (path: string) => post(keeper.endpoints.http as string, "admin_backup", [path]);
    for (const path of [outside, "../copy", ".copy", `${dumps}/a/b`])
      expect(await ask(path)).toMatch(/^error: the file needs a bare name/);
    expect(existsSync(outside)).toBe(false);
    expect(await ask("copy")).toBe(true);
    expect(readdirSync(join(dumps, "copy"))).toEqual(["chaindata"]);
    expect(await ask("copy")).toBe("error: location would overwrite an existing file");
    expect(await keeper.provider.request({ method: "admin_backup", params: [outside] })).toBe(true);
    await keeper.stop();
    rmSync(root, { recursive: true });
  }, 30_000);

  it("sees the effects of a transaction and the accounts it touched", async () => {
    const hash = await send();
    const [account] = (await call("eth_accounts")) as string[];
    expect(await call("debug_traceTransaction", hash, { tracer: "callTracer" })).toMatchObject({
      from: account,
      to: account,
      gasUsed: "0x5208",
      type: "CALL",
    });
    const { number } = (await call("eth_getBlockByNumber", "latest", false)) as { number: string };
    expect(await call("debug_getModifiedAccountsByNumber", number)).toContain(account);
    await expect(call("debug_traceTransaction", hash, { tracer: "{}" })).rejects.toThrow(
      "Trace object must expose a function fault()",
    );
    expect(await call("debug_traceBlockByNumber", number, { tracer: "{}" })).toContainEqual({
      txHash: hash,
      error: "Only predefined tracers are supported",
    });
  });

  it("finds metrics of what the node has done", async () => {
    const metrics = (await call("debug_metrics", true)) as Record<string, never>;
    expect(metrics).toMatchObject({
      blockchain: { block: { tx: { counter: { Overall: expect.any(Number) } } } },
      rpc: { counts: { total: { Overall: expect.any(Number) } } },
      p2p: { InboundTraffic: { Overall: 0 } },
      miner: { block: { mining: { time: { Overall: expect.any(Number) } } } },
    });
    expect(countLeaves(metrics)).toBeGreaterThan(150);
  });

  it("finds its own actions in them", async () => {
    const read = async (path: string) => {
      let at = (await call("debug_metrics", true)) as Record<string, unknown>;
      for (const part of path.split("/")) at = (at?.[part] ?? {}) as Record<string, unknown>;
      return at["Overall"];
    };
    const url = node.endpoints.http as string;
    const before = await read("db/table/header/writes");
    await post(url, "eth_chainId");
    await post(url, "eth_getBalance");
    await post(url, "eth_noSuchMethod");
    await send();
    expect(await read("rpc/duration/eth_chainId/success")).toBeGreaterThan(0);
    expect(await read("rpc/duration/eth_getBalance/failure")).toBeGreaterThan(0);
    expect(await read("rpc/duration/eth_noSuchMethod/failure")).toBeUndefined();
    expect(await read("db/table/header/writes")).toBe((before as number) + 1);
    expect(await read("miner/usedalltxs")).toBeGreaterThan(0);
    expect(await read("chain/gas")).toBeGreaterThanOrEqual(21_000);
    const [from] = (await call("eth_accounts")) as string[];
    await post(url, "eth_sendTransaction", [{ from, to: from, gas: "0x1", gasPrice: "0xba43b7400" }]);
    expect(await read("txpool/invalid")).toBe(1);
  });

  it("exports the same metrics to Prometheus", async () => {
    const measured = await createNode({ metrics: { port: 0 } });
    const response = await fetch(measured.endpoints.metrics as string);
    expect(response.headers.get("content-type")).toContain("version=0.0.4");
    expect(await response.text()).toMatch(/^klaytn_blockchain_head_blocknumber 0$/m);
    expect((await fetch(new URL("/other", measured.endpoints.metrics))).status).toBe(404);
    await measured.stop();
  });

  it("restricts methods that touch the machine to the process and IPC", async () => {
    const guarded = await createNode({ http: { port: 0 } });
    const url = guarded.endpoints.http as string;
    const names = Object.entries(api)
      .filter(([, { scope }]) => scope === "host")
      .map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(["admin_exportChain", "admin_startWS", "debug_startPProf"]));
    for (const name of names)
      expect(await post(url, name)).toBe(`error: the method ${name} does not exist/is not available`);
    const { methods } = (await post(url, "rpc_discover")) as { methods: { name: string }[] };
    expect(methods.filter(({ name }) => names.includes(name))).toEqual([]);
    expect(await guarded.provider.request({ method: "admin_datadir" })).toBe("");
    await guarded.stop();
  });

  it("restricts unsafe debugging to the process and IPC if configured", async () => {
    const guarded = await createNode({ http: { port: 0 }, unsafeDebugDisabled: true });
    const url = guarded.endpoints.http as string;
    const unsafe = [
      "freeOSMemory",
      "gcStats",
      "memStats",
      "stacks",
      "setHead",
      "printBlock",
      "preimage",
      "storageRangeAt",
    ];
    for (const name of [...unsafe, "traceBlockFromFile", "startPProf", "verbosity", "chaindbProperty"])
      expect(await post(url, `debug_${name}`)).toBe(
        `error: the method debug_${name} does not exist/is not available`,
      );
    for (const name of [
      "metrics",
      "dumpBlock",
      "getBlockRlp",
      "traceTransaction",
      "getBadBlocks",
      "traceBadBlock",
    ])
      expect(await post(url, `debug_${name}`)).not.toContain("does not exist/is not available");
    const debug = (name: string, ...params: unknown[]) =>
      guarded.provider.request({ method: `debug_${name}`, params });
    expect(await debug("freeOSMemory")).toBeNull();
    // As the reference: 32 signed bits, negative ones are -1; a block that nobody named has no name.
    expect([await debug("setGCPercent", 2 ** 32 - 1), await debug("setGCPercent", 100)]).toEqual([100, -1]);
    await expect(debug("getBlockRlp", null)).rejects.toThrow("block  not found");
    await guarded.stop();
  });
});
