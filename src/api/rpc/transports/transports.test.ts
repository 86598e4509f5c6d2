import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { connect, createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import type { Listener } from "../../../platform/http/listener.ts";
import { createRpc, type Rpc } from "../create-rpc.ts";
import { Registry } from "../engine/registry.ts";
import { rpcHandlers } from "../handlers/node/rpc.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { rpc } from "../spec/node/rpc.ts";
import { web3 } from "../spec/node/web3.ts";
import { ticks } from "../testing/declarations.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-ipc-"));
const emitters = new Set<(tick: string) => void>();
const listeners: Listener[] = [];
let served: Rpc;

beforeAll(async () => {
  const registry = new Registry();
  registry
    .mount("rpc", rpc, rpcHandlers("1"))
    .mount("web3", web3, web3Handlers("test"))
    .addSubscriptions("eth", ticks, {
      ticks: (_args, emit) => {
        emitters.add(emit);
        return () => emitters.delete(emit);
      },
    });
  served = createRpc(registry, new AbortController().signal, () => {});
});
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  rmSync(folder, { recursive: true });
});

async function keep(listener: Promise<Listener>): Promise<Listener> {
  listeners.push(await listener);
  return listener;
}

function nextMessage(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => socket.once("message", (data) => resolve(data.toString())));
}

async function open(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return socket;
}

const version = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';

describe("WebSocket", () => {
  const web = {
    host: "127.0.0.1",
    port: 0,
    unsafe: true,
    modules: ["web3", "eth"],
    origins: ["https://app.example"],
    hosts: ["localhost"],
  };

  it("is served on its own port and on the HTTP port, each with its own modules", async () => {
    const own = await keep(served.listenWebSocket(web));
    const rules = { unsafe: true, modules: ["web3"] };
    const options = { host: "127.0.0.1", port: 0, cors: [], hosts: ["localhost"] };
    const shared = await keep(
      served.listenHttp({ ...options, ...rules, webSocket: { ...rules, modules: [], origins: [] } }),
    );
    const [first, second] = [await open(`ws://${own.address}`), await open(`ws://${shared.address}`)];
    first.send(version);
    expect(await nextMessage(first)).toBe('{"jsonrpc":"2.0","id":1,"result":"test"}');
    second.send(version);
    expect(await nextMessage(second)).toContain("-32601");
    first.terminate();
    second.terminate();
  });

  it("refuses pages of other origins", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    await expect(open(`ws://${address}`, { Origin: "https://evil.example" })).rejects.toThrow("403");
    (await open(`ws://${address}`, { Origin: "https://app.example" })).terminate();
  });

  it("refuses foreign names of the host, as over HTTP", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    await expect(open(`ws://${address}`, { Host: "evil.example" })).rejects.toThrow("403");
    (await open(`ws://${address}`, { Host: "localhost:1" })).terminate();
  });

  it("accepts pages of this machine if no origins are configured", async () => {
    const { address } = await keep(served.listenWebSocket({ ...web, origins: [] }));
    (await open(`ws://${address}`, { Origin: "http://localhost:3000" })).terminate();
    await expect(open(`ws://${address}`, { Origin: "http://localhost.evil.example" })).rejects.toThrow("403");
  });

  it("reports the error in a text and closes, silently if the text is truncated", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    const wrong = await open(`ws://${address}`);
    wrong.send("[1,]");
    expect(await nextMessage(wrong)).toContain("invalid character ']' looking for beginning of value");
    const cut = await open(`ws://${address}`);
    const said: unknown[] = [];
    cut.on("message", (data) => said.push(data));
    cut.send('[{"id":1,');
    await new Promise((resolve) => cut.once("close", resolve));
    expect(said).toEqual([]);
  });

  it("responds to messages that arrive together in order, with few writes", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    const client = await open(`ws://${address}`);
    const { _socket: socket } = client as unknown as { _socket: Socket };
    // No time passes: each request was there when the one before it was answered.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    const write = vi.spyOn(Socket.prototype as unknown as { _writeGeneric(): void }, "_writeGeneric");
    const ids: number[] = [];
    const answered = new Promise<void>((resolve) => {
      client.on("message", (data) => {
        if (ids.push(JSON.parse(String(data)).id) === 100) resolve();
      });
    });
    socket.cork();
    for (let id = 0; id < 100; id++) client.send(version.replace('"id":1', `"id":${id}`));
    socket.uncork();
    await answered;
    const writes = write.mock.calls.length;
    write.mockRestore();
    clock.mockRestore();
    client.terminate();
    expect(ids).toEqual(Array.from({ length: 100 }, (_, id) => id));
    expect(writes).toBeLessThan(10);
  });

  it("responds to the last of several pings that arrive together", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    const client = await open(`ws://${address}`);
    const pong = () => new Promise<string>((resolve) => client.once("pong", (data) => resolve(`${data}`)));
    const { _socket: socket } = client as unknown as { _socket: Socket };
    socket.cork();
    for (let i = 0; i < 100; i++) client.ping(`${i}`);
    socket.uncork();
    expect(await pong()).toBe("99");
    client.terminate();
  });

  it("ends subscriptions with their connection", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    const socket = await open(`ws://${address}`);
    socket.send('{"id":1,"method":"eth_subscribe","params":["ticks"]}');
    const { result } = JSON.parse(await nextMessage(socket));
    const event = nextMessage(socket);
    for (const emit of emitters) emit("tick");
    expect(JSON.parse(await event).params).toEqual({ subscription: result, result: "tick" });
    socket.terminate();
    await expect.poll(() => emitters.size).toBe(0);
  });

  it("closes with 1009 on a message above 5 MiB", async () => {
    const { address } = await keep(served.listenWebSocket(web));
    const socket = await open(`ws://${address}`);
    const code = new Promise((resolve) => socket.once("close", resolve));
    socket.send("x".repeat(5 * 1024 * 1024 + 1));
    expect(await code).toBe(1009);
  });
});

describe("IPC", () => {
  const path = join(folder, "node.ipc");

  it("replaces a stale socket, denies access to others and reads a stream of texts", async () => {
    await leaveSocket(path);
    await keep(served.listenIpc(path));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8");
    const done = new Promise<void>((resolve) => {
      socket.on("data", (chunk: string) => {
        text += chunk;
        if (text.split("\n").length === 4) resolve();
      });
    });
    socket.write(`  ${version}${version.slice(0, 20)}`);
    socket.write(`${version.slice(20)}\n5 `);
    await done;
    socket.destroy();
    expect(text.match(/"result":"test"/g)).toHaveLength(2);
    expect(text).toContain("-32600");
  });
});

/** Leaves behind the socket of a killed node. */
async function leaveSocket(path: string): Promise<void> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(path, resolve));
  renameSync(path, `${path}~`);
  await new Promise((resolve) => listener.close(resolve));
  renameSync(`${path}~`, path);
}

describe("IPC on a path that is too long", () => {
  it("is rejected and leaves nothing open, instead of a socket with a truncated name", async () => {
    const path = join(folder, "x".repeat(120));
    await expect(served.listenIpc(path)).rejects.toThrow(expect.objectContaining({ code: "IPC_PATH" }));
    expect(readdirSync(folder).filter((name) => name.startsWith("x"))).toEqual([]);
  });
});

describe("the provider", () => {
  it("resolves to results, rejects with the code, and emits events", async () => {
    const { provider } = served;
    expect(await provider.request({ method: "web3_clientVersion" })).toBe("test");
    await expect(provider.request({ method: "no_such" })).rejects.toMatchObject({
      ...{ name: "RpcError", code: -32601, message: expect.stringContaining("no_such") },
    });
    const events: unknown[] = [];
    provider.on("message", (message) => events.push(message));
    const subscriptionId = await provider.request({ method: "eth_subscribe", params: ["ticks"] });
    for (const emit of emitters) emit("tick");
    await expect
      .poll(() => events)
      .toEqual([{ type: "eth_subscription", data: { subscription: subscriptionId, result: "tick" } }]);
    await provider.request({ method: "eth_unsubscribe", params: [subscriptionId] });
  });

  it("rejects calls once the node has been stopped", async () => {
    const stopped = new AbortController();
    const { provider } = createRpc(served.registry, stopped.signal, () => {});
    await provider.request({ method: "web3_clientVersion" });
    stopped.abort();
    await expect(provider.request({ method: "web3_clientVersion" })).rejects.toMatchObject({
      code: 4900,
      message: "the node has been stopped",
    });
  });

  it("describes itself as OpenRPC", async () => {
    const document = (await served.provider.request({ method: "rpc_discover" })) as {
      methods: { name: string }[];
    };
    expect(document.methods.map(({ name }) => name)).toContain("web3_sha3");
  });
});
