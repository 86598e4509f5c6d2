import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import type { Listener } from "../../../platform/http/listener.ts";
import { createRpc, type Rpc } from "../create-rpc.ts";
import { Registry } from "../engine/registry.ts";
import { rpcHandlers } from "../handlers/node/rpc.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { rpc } from "../spec/node/rpc.ts";
import { web3 } from "../spec/node/web3.ts";
import { ticks } from "../testing/declarations.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-faults-"));
const path = join(folder, "node.ipc");
const defects: unknown[] = [];
const uncaught: unknown[] = [];
const onUncaught = (error: unknown) => uncaught.push(error);
let answer: (sha3: Uint8Array) => Uint8Array | Promise<Uint8Array>;
let endings = 0;
let ws: Listener;
let ipc: Listener;

const { write } = Socket.prototype;

const broken = (): never => {
  throw new RangeError("Invalid string length");
};

function createBroken(): Rpc {
  const web3Broken = { ...web3Handlers("test"), sha3: (...args: never[]) => answer(args[0] as never) };
  const registry = new Registry()
    .mount("rpc", rpc, rpcHandlers("1"))
    .mount("web3", web3, web3Broken as never)
    .addSubscriptions("eth", ticks, {
      ticks: () => () => {
        endings++;
        broken();
      },
    });
  return createRpc(registry, new AbortController().signal, (_where, error) => {
    defects.push(error);
    throw new Error("the log is gone"); // even the error reporter fails
  });
}

beforeAll(async () => {
  // Vitest has its own listeners; an error that reaches them fails the run as well.
  process.prependListener("uncaughtException", onUncaught);
  process.prependListener("unhandledRejection", onUncaught);
  const served = createBroken();
  const rules = { host: "127.0.0.1", port: 0, unsafe: true, origins: [], hosts: ["localhost"] };
  ws = await served.listenWebSocket(rules);
  ipc = await served.listenIpc(path);
});
afterAll(async () => {
  process.off("uncaughtException", onUncaught);
  process.off("unhandledRejection", onUncaught);
  await Promise.all([ws.close(), ipc.close()]);
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  vi.restoreAllMocks();
  defects.length = 0;
});

const VERSION = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';
const HASH = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}';
const TICKS = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["ticks"]}';

interface Caller {
  send(text: string): void;
  next(): Promise<string>;
  reset(): void;
  readonly closed: Promise<unknown>;
}

async function overWebSocket(): Promise<Caller> {
  const socket = new WebSocket(`ws://${ws.address}`);
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "open");
  return {
    send: (text) => socket.send(text),
    next: () => new Promise((resolve) => socket.once("message", (data) => resolve(String(data)))),
    reset: () => socket.terminate(),
    closed,
  };
}

async function overIpc(): Promise<Caller> {
  const socket: Socket = connect(path);
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  return {
    send: (text) => socket.write(`${text}\n`),
    next: () => new Promise((resolve) => socket.once("data", (data) => resolve(String(data)))),
    reset: () => socket.destroy(),
    closed,
  };
}

describe.each([
  ["WebSocket", overWebSocket],
  ["IPC", overIpc],
])("failures of one connection over %s", (_name, open) => {
  /** Clients that connected before and after the attack are served. */
  async function expectOthersServed(attack: () => Promise<void>): Promise<void> {
    const other = await open();
    await attack();
    for (const caller of [other, await open()]) {
      caller.send(VERSION);
      expect(await caller.next()).toContain('"result":"test"');
      caller.reset();
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(uncaught).toEqual([]);
  }

  it.each<[string, typeof answer]>([
    ["a handler that throws", broken],
    ["a handler that rejects", async () => broken()],
    ["an encoder that throws", () => new Proxy(new Uint8Array(1), { get: broken })],
    ["an encoder that throws later", async () => new Proxy(new Uint8Array(1), { get: broken })],
  ])("%s affects no other connection", async (_fault, faulty) => {
    await expectOthersServed(async () => {
      answer = faulty;
      const caller = await open();
      caller.send(HASH);
      await Promise.race([caller.next(), caller.closed]);
      caller.reset();
      expect(defects).not.toEqual([]);
    });
  });

  it("a socket that fails at any write affects no other connection", async () => {
    for (let at = 1; at <= 4; at++) {
      await expectOthersServed(async () => {
        const caller = await open();
        let writes = 0;
        const failing = vi.spyOn(Socket.prototype, "write").mockImplementation(function (
          this: Socket,
          ...args: unknown[]
        ) {
          // Those that the node has accepted, not the test's.
          if ("server" in this && this.server && ++writes === at) broken();
          return write.apply(this, args as never);
        } as never);
        for (let i = 0; i < 5; i++) caller.send(VERSION);
        const written = vi.waitFor(() => expect(writes).toBeGreaterThanOrEqual(at), 5_000);
        await Promise.race([caller.closed, written]).finally(() => failing.mockRestore());
        expect(writes).toBeGreaterThanOrEqual(at);
        caller.reset();
      });
    }
  });

  it("a client that disconnects at any point affects no other, and all its subscriptions end", async () => {
    await expectOthersServed(async () => {
      endings = 0;
      answer = () => new Promise((resolve) => setTimeout(resolve, 5, new Uint8Array(1)));
      for (const texts of [[], [VERSION.slice(0, 20)], [HASH], [HASH, HASH, VERSION]]) {
        const caller = await open();
        for (const text of texts) caller.send(text);
        caller.reset();
        await caller.closed;
      }
      const caller = await open();
      caller.send(TICKS);
      await caller.next();
      caller.send(TICKS);
      await caller.next();
      caller.reset();
      await caller.closed;
      await expect.poll(() => endings).toBeGreaterThan(0);
    });
  });
});

describe("frames that the library rejects", () => {
  const UPGRADE =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: " +
    "13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

  it.each<[string, number[]]>([
    ["reserved bits", [0xf1, 0x80, 0, 0, 0, 0]],
    ["an unknown kind", [0x83, 0x80, 0, 0, 0, 0]],
    ["no mask", [0x81, 0x01, 0x41]],
    ["an oversized ping", [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]],
    ["a length beyond 2^63", [0x81, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]],
    ["a text that is not UTF-8", [0x81, 0x81, 0, 0, 0, 0, 0xff]],
    ["a close of one byte", [0x88, 0x81, 0, 0, 0, 0, 1]],
    ["a continuation of nothing", [0x80, 0x80, 0, 0, 0, 0]],
  ])("end their own connection: %s", async (_name, bytes) => {
    const socket = connect(ws.port, "127.0.0.1");
    socket.on("error", () => {});
    const closed = once(socket, "close");
    socket.write(Buffer.concat([Buffer.from(UPGRADE), Buffer.from(bytes)]));
    socket.resume();
    await closed;
    const caller = await overWebSocket();
    caller.send(VERSION);
    expect(await caller.next()).toContain('"result":"test"');
    caller.reset();
    expect(uncaught).toEqual([]);
  });
});
