import { once } from "node:events";
import { connect, Server } from "node:net";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { TimeSlice } from "../../src/platform/runtime/turns/time-slice.ts";
import { type Conditions, removeSockets, type Served, serve } from "./attacked-node.ts";
import { sitesIn, TRANSPORTS } from "./fault-sites.ts";
import { attacks } from "./transport-attacks.ts";

const sites = sitesIn(TRANSPORTS);

/** Callbacks without a guard, by the reason why none can end the process. */
const BARE = {
  "what it throws rejects the promise of the response, which `continueWith` waits for": [
    "min-block.ts: then(answer)",
    "routes.ts: then(answer)",
    "routes.ts: then(share)",
    "server.ts: then(asLine)",
  ],
  "it settles the promise of a start or a stop": [
    'ipc-path.ts: once("connect", () => end(false))',
    'ipc-path.ts: once("error", (error: NodeJS.ErrnoException) => end(error.code === "ECONNREFUSED"))',
    'ipc-path.ts: once("error", reject)',
    "ipc-path.ts: setTimeout(PROBE_MS, () => end(false))",
    "ipc.ts: close(() => resolve())",
    "listener.ts: close(() => resolve())",
    'listener.ts: listen({ host: host === "localhost" ? "127.0.0.1" : host, port }, () => { listener.off("error", reje',
    'listener.ts: once("error", reject)',
  ],
  "it only destroys its own socket": [
    'awaited-hello.ts: on("end", this.#onEnd)',
    'awaited-hello.ts: on("error", this.#onEnd)',
    'ipc.ts: on("error", () => socket.destroy())',
    "listener.ts: end(head + BUSY, () => socket.destroy())",
    'record-gate.ts: on("close", this.#onClose)',
    'record-gate.ts: on("error", this.#onClose)',
    'listener.ts: on("error", () => socket.destroy())',
    "websocket-client.ts: setTimeout(() => this.#webSocket.terminate(), LINGER_MS)",
    "websocket.ts: end(head, () => socket.destroy())",
    'websocket.ts: on("error", () => socket.destroy())',
  ],
  "it only counts, and forgets what has ended": [
    'listener.ts: on("error", () => {})',
    'listener.ts: once("close", () => { this.#open.delete(connection); if (this.#open.size === 0) this.#onDrained?.();',
    'listener.ts: once("close", giveBack)',
    'listener.ts: once("close", over)',
    'listener.ts: once("secure", over)',
    'websocket-client.ts: once("close", () => clearTimeout(timer))',
    'websocket.ts: once("close", () => webSockets.give())',
    'websocket.ts: on("close", () => { this.#server.countConnection(-1); this.#clients.delete(client); })',
  ],
  "it runs a guarded step for each connection": [
    "ipc.ts: setInterval(() => { for (const client of clients) client.checkTimeouts(); }, CHECK_SECONDS * 1000)",
    "joint-flush.ts: setImmediate(this.#send)",
    "listener.ts: createServer({ allowHalfOpen: true, pauseOnConnect }, (socket) => connections.accept(socket), )",
    "listener.ts: setInterval(() => connections.tick(), 1000)",
    "listener.ts: setTimeout(() => connections.close(), 1000)",
    "websocket.ts: setInterval(() => this.#checkTimeouts(), CHECK_INTERVAL)",
  ],
  "it concerns the program around the node, not a connection": [
    "provider.ts: on(event, listener)",
    "provider.ts: on(event, listener) (2)",
    "provider.ts: queueMicrotask(() => session.subscriptions.release())",
  ],
};
const FAULT = "a fault of the test";

/** What an attack has reached, and where a fault is to happen once. */
const reached = new Set<string>();
let armed: string | undefined;
/** Whether others are idle. */
let isAttack = false;
const uncaught: unknown[] = [];
const servers: Server[] = [];

/** Called by the transformed sources. */
function atSite(site: string, it: ((argument: unknown) => void) | Promise<unknown>): typeof it {
  const fails = (): boolean => {
    if (isAttack) reached.add(site);
    if (!isAttack || armed !== site) return false;
    armed = undefined;
    return true;
  };
  if (typeof it !== "function") {
    if (!fails()) return it;
    return Promise.resolve(it).then(() => Promise.reject(new Error(FAULT)));
  }
  return (argument) => {
    if (fails()) throw new Error(FAULT);
    it(argument);
  };
}

const onUncaught = (error: unknown): void => void uncaught.push(error);
let conditions: Conditions;

beforeEach(() => {
  vi.stubGlobal("atSite", atSite);
  process.prependListener("uncaughtException", onUncaught);
  process.prependListener("unhandledRejection", onUncaught);
  conditions = { isDue: false, isJoint: false, clocks: [], defects: [], onSlow: () => {} };
  reached.clear();
  vi.spyOn(TimeSlice.prototype, "isDue").mockImplementation(() => conditions.isDue);
  vi.spyOn(TimeSlice.prototype, "isDueForSmall").mockImplementation(() => conditions.isDue);
  const { yield: wait } = TimeSlice.prototype;
  vi.spyOn(TimeSlice.prototype, "yield").mockImplementation(async function (this: TimeSlice, ...by) {
    await wait.apply(this, by);
    conditions.isDue = false;
  });
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => (conditions.isJoint ? 0 : now()));
  const { setInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation(((step: () => void, delay: number) => {
    conditions.clocks.push(step);
    return setInterval(step, delay);
  }) as never);
  const { listen } = Server.prototype;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...where: unknown[]) {
    servers.push(this);
    return listen.apply(this, where as never);
  } as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  process.off("uncaughtException", onUncaught);
  process.off("unhandledRejection", onUncaught);
  for (const server of servers.splice(0)) server.close();
  uncaught.length = 0;
  armed = undefined;
});
afterAll(removeSockets);

const VERSION = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';

/** Clients of every transport: each is served, whenever it asks. */
async function openOthers({ http, ws, ipc }: Served) {
  const [tcp, unix] = [connect(http.port, "127.0.0.1"), connect(ipc.address)];
  const webSocket = new WebSocket(`ws://${ws.address}`);
  await Promise.all([once(tcp, "connect"), once(unix, "connect"), once(webSocket, "open")]);
  return async (): Promise<void> => {
    tcp.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${VERSION.length}\r\n\r\n${VERSION}`,
    );
    unix.write(VERSION);
    webSocket.send(VERSION);
    const answers = await Promise.all([once(tcp, "data"), once(unix, "data"), once(webSocket, "message")]);
    for (const [answer] of answers) expect(String(answer)).toContain('"result":"test"');
    for (const socket of [tcp, unix]) socket.destroy();
    webSocket.terminate();
  };
}

/** Runs an attack beside other clients, which are served during and after it. @returns what it threw */
async function run(name: string, fault?: string): Promise<unknown> {
  const served = await serve(conditions);
  const askers: (() => Promise<void>)[] = [];
  armed = fault;
  const attack = attacks[name] as (typeof attacks)[string];
  const join = async (): Promise<void> => {
    isAttack = false;
    askers.push(await openOthers(served));
    isAttack = true;
  };
  let error: unknown;
  isAttack = true;
  try {
    const caller = await attack(served, conditions, join);
    if (fault === undefined) caller?.destroy();
    await caller?.closed;
  } catch (cause) {
    error = cause;
  }
  isAttack = false;
  Object.assign(conditions, { isDue: false, isJoint: false });
  askers.push(await openOthers(served));
  for (const ask of askers) await ask();
  await Promise.all([served.http.close(), served.ws.close(), served.ipc.close()]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(uncaught).toEqual([]);
  return error;
}

/** The first attack that reaches each entrance. */
const ways = new Map<string, string>();

it.each(Object.keys(attacks))("%s affects no others", async (name) => {
  expect(await run(name)).toBeUndefined();
  for (const site of reached) if (!ways.has(site)) ways.set(site, name);
});

const guarded = sites.filter(({ kind }) => kind !== "bare").map(({ kind, id }) => `${kind} ${id}`);

it("every other callback has a reason why it needs no guard", () => {
  const bare = sites.filter(({ kind }) => kind === "bare").map(({ id }) => id);
  expect(bare.sort()).toEqual(Object.values(BARE).flat().sort());
});

it("every entrance is reached by an attack", () => {
  expect(guarded.filter((site) => !ways.has(site))).toEqual([]);
});

it.each(guarded)("a fault ends its own connection, and affects no other: %s", async (site) => {
  const error = await run(ways.get(site) ?? "", site);
  expect(armed).toBeUndefined();
  const isOfCaller = site.startsWith("await");
  expect(isOfCaller ? [error] : conditions.defects).toEqual([
    expect.objectContaining({ message: expect.stringContaining(isOfCaller ? "" : FAULT) }),
  ]);
});
