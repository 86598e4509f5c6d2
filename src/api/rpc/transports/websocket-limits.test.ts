import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { Registry } from "../engine/registry.ts";
import { RpcServer } from "../engine/server.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { createBudget } from "../services/budget.ts";
import { web3 } from "../spec/node/web3.ts";
import { ticks } from "../testing/declarations.ts";
import { listenRpc } from "./http/server.ts";
import { WebSocketEndpoint } from "./websocket.ts";

const MIB = 2 ** 20;
const TICKS = '{"id":1,"method":"eth_subscribe","params":["ticks"]}';
const version = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"web3_clientVersion"}`;

/** A listener whose `web3_clientVersion` has this many bytes; `tick` sends an event to all subscribers. */
async function serve({
  answerBytes = 4,
  bodies = 256 * MIB,
  webSockets: most = 10,
  backlog = 16 * MIB,
} = {}) {
  const emitters = new Set<(tick: string) => void>();
  const registry = new Registry()
    .mount("web3", web3, web3Handlers("x".repeat(answerBytes)))
    .addSubscriptions("eth", ticks, {
      ticks: (_, emit) => {
        emitters.add(emit);
        return () => void emitters.delete(emit);
      },
    });
  const budget = createBudget({ bodies, webSockets: most });
  const server = new RpcServer(() => {}, { budget, limits: { backlog } });
  const access = registry.access({ unsafe: true });
  const webSockets = new WebSocketEndpoint(server, { access, origins: [] });
  const at = { host: "127.0.0.1", port: 0, cors: [], hosts: ["*"] };
  const listener = await listenRpc(server, access, at, { webSockets });
  const clients: WebSocket[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.terminate();
    webSockets.close();
    await listener.close();
  });
  const open = async (options?: ClientOptions) => {
    const client = new WebSocket(`ws://${listener.address}`, options);
    clients.push(client);
    const state = { answers: 0, closed: undefined as undefined | [code: number, reason: string] };
    client.on("error", () => {});
    client.on("message", () => void state.answers++);
    client.on("close", (code, reason) => {
      state.closed = [code, String(reason)];
    });
    await once(client, "open");
    const { _socket: socket } = client as unknown as { readonly _socket: Socket };
    return { client, state, socket };
  };
  return { open, budget, tick: (text: string) => emitters.forEach((emit) => void emit(text)) };
}

/** Resolves once the node has read what was sent before. */
async function served({ client, state }: { client: WebSocket; state: { answers: number } }): Promise<void> {
  const before = state.answers;
  client.send(version(1));
  await expect.poll(() => state.answers).toBeGreaterThan(before);
}

it("reads no more from a client that does not read its responses, and continues when it does", async () => {
  const { open, budget } = await serve({ answerBytes: 100_000 });
  const { client, state, socket } = await open();
  socket.pause();
  for (let id = 0; id < 400; id++) client.send(version(id));
  await expect.poll(() => budget.unsent.total).toBeGreaterThan(4 * MIB);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(budget.unsent.total).toBeLessThan(5 * MIB);
  socket.resume();
  await expect.poll(() => state.answers).toBe(400);
  await expect.poll(() => budget.unsent.total).toBe(0);
  expect([state.closed, budget.unsent.cut]).toEqual([undefined, 0]);
});

it.each([
  [16, 40],
  [4, 26],
])("closes a client that falls more than %d MiB behind its events with 1008", async (backlog, events) => {
  const { open, budget, tick } = await serve({ backlog: backlog * MIB });
  const slow = await open();
  slow.client.send(TICKS);
  await once(slow.client, "message");
  slow.socket.pause();
  for (let i = 0; i < events; i++) {
    tick("x".repeat(MIB));
    await new Promise(setImmediate);
  }
  slow.socket.resume();
  await expect.poll(() => slow.state.closed).toEqual([1008, "too slow"]);
  expect(slow.state.answers).toBeLessThan(events);
  expect(budget.unsent.cut).toBe(1);
});

it("cuts off a client that pings while it is too far behind with reading", async () => {
  const { open, budget, tick } = await serve({ backlog: MIB });
  const slow = await open();
  slow.client.send(TICKS);
  await once(slow.client, "message");
  slow.socket.pause();
  while (budget.unsent.total <= MIB) {
    tick("x".repeat(MIB));
    await new Promise(setImmediate);
  }
  expect(budget.unsent.cut).toBe(0);
  slow.client.ping();
  await expect.poll(() => [budget.unsent.cut, budget.unsent.total]).toEqual([1, 0]);
});

it("refuses a WebSocket beyond the most for all listeners with 503, and serves one again once another has left", async () => {
  const { open, budget } = await serve({ webSockets: 1 });
  const first = await open();
  await expect(open()).rejects.toThrow("Unexpected server response: 503");
  expect([budget.webSockets.refused, budget.refusals.of(503)]).toEqual([1, 1]);
  first.client.close();
  await expect.poll(() => budget.webSockets.used).toBe(0);
  await served(await open());
});

it("refuses a partial message for which the node has no memory with 1013", async () => {
  const { open, budget } = await serve({ bodies: 100_000 });
  const [large, other] = [await open(), await open()];
  large.client.send("x".repeat(150_000), { fin: false });
  await served(other);
  expect(large.state.closed).toBeUndefined();
  large.client.send("x".repeat(50_000), { fin: false });
  await expect.poll(() => large.state.closed).toEqual([1013, "too many requests are coming in"]);
  await expect.poll(() => budget.bodies.used).toBe(0);
  await served(other);
});

it("closes a client whose message stalls for 30 s with 1008, and no other", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { open, budget } = await serve();
  const [stalled, other] = [await open(), await open()];
  stalled.client.send("[", { fin: false });
  await served(other);
  vi.advanceTimersByTime(29_000);
  await served(other);
  expect(stalled.state.closed).toBeUndefined();
  vi.advanceTimersByTime(11_000);
  await expect.poll(() => stalled.state.closed).toEqual([1008, "request timed out"]);
  expect(budget.refusals.of(408)).toBe(1);
  await served(other);
});

it("cuts off a client that does not respond to pings", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { open, budget } = await serve();
  const [silent, other] = [await open({ autoPong: false }), await open()];
  for (const at of [30_000, 60_000]) {
    expect([at, silent.state.closed]).toEqual([at, undefined]);
    const pinged = once(other.client, "ping");
    vi.advanceTimersByTime(30_000);
    await pinged;
    await served(other);
  }
  await expect.poll(() => silent.state.closed).toEqual([1006, ""]);
  expect(budget.unsent.cut).toBe(1);
  await served(other);
});
