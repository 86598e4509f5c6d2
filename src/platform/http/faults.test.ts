import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import type { ClientSocket } from "../sockets/client-socket.ts";
import { Allowance, type ConnectionBudget, UnsentBytes } from "./budget.ts";
import { HttpConnection } from "./connection/connection.ts";
import { JointFlush } from "./connection/joint-flush.ts";
import { type Listener, listenHttp } from "./listener.ts";
import type { HttpResult, HttpService, Verdict } from "./service.ts";

const MIB = 1024 * 1024;
const budget = (): ConnectionBudget => ({
  ...{ connections: new Allowance(100), bodies: new Allowance(MIB), unsent: new UnsentBytes(256 * MIB) },
  slice: new TimeSlice(),
});

let listener: Listener | undefined;
const faults: unknown[] = [];
afterEach(async () => {
  await listener?.close();
  faults.length = 0;
});

async function serve(service: Partial<HttpService>, shared = budget(), maxConnections = 100): Promise<void> {
  listener = await listenHttp(
    { maxBody: MIB, admit: () => ok(() => "fine"), ...service },
    { host: "127.0.0.1", port: 0, budget: shared, maxConnections, onFault: (error) => faults.push(error) },
  );
}

function ok(handle: (body: Buffer) => HttpResult): Verdict {
  return { status: 200, headers: "", text: "", close: false, handle };
}

/** Takes everything at once, as the pipe to an I/O process does, and tells later that the system has it. */
class SlowSocket extends Duplex implements ClientSocket {
  hasAll: (() => void) | undefined;

  setNoDelay(): this {
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, written: () => void): void {
    written();
  }

  override _final(hasAll: () => void): void {
    this.hasAll = hasAll;
  }
}

const REQUEST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";

function open(): Socket {
  const socket = connect((listener as Listener).port, "127.0.0.1");
  socket.on("error", () => {});
  return socket;
}

/** What comes until the server closes. */
async function ask(text: string): Promise<string> {
  const socket = open();
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return got;
}

const CLOSING = REQUEST.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
const broken = (): never => {
  throw new RangeError("Invalid string length");
};

describe("a failure ends its own connection", () => {
  it.each<[string, Partial<HttpService>]>([
    ["of a handler", { admit: () => ok(broken) }],
    ["of a handler that waits", { admit: () => ok(async () => broken()) }],
    ["of the rules", { admit: broken }],
    [
      "of an answer that is too long",
      { admit: () => ok(() => ({ ...tooLong(), status: 200, headers: "" })) },
    ],
    ["of an upgrade", { upgrades: () => true, upgrade: broken }],
  ])("%s", async (name, service) => {
    const fine = { admit: () => ok(() => "fine") };
    let isBroken = true;
    const request = name.includes("upgrade") ? REQUEST.replace("Host", "Upgrade: x\r\nHost") : REQUEST;
    await serve({
      admit: (head, client) => (isBroken ? (service.admit ?? fine.admit) : fine.admit)(head, client),
      upgrades: () => isBroken && service.upgrades !== undefined,
      upgrade: service.upgrade ?? broken,
    });
    expect(await ask(request)).toBe("");
    expect(faults).toEqual([expect.objectContaining({ message: "Invalid string length" })]);
    isBroken = false;
    expect(await ask(CLOSING)).toContain("fine");
  });

  it("of a socket at every write", async () => {
    await serve({ admit: () => ok(() => "x".repeat(MIB)) });
    const sockets = Array.from({ length: 20 }, open);
    for (const socket of sockets) {
      socket.write(REQUEST.repeat(10));
      socket.once("data", () => socket.resetAndDestroy());
    }
    await Promise.all(sockets.map((socket) => once(socket, "close")));
    expect(await ask(CLOSING)).toContain("200 OK");
    expect(faults).toEqual([]);
  });

  /** A body whose length cannot be counted, as when V8 refuses to make the text. */
  function tooLong(): { body: string } {
    return {
      get body(): string {
        return broken();
      },
    };
  }
});

describe("a client", () => {
  it("that does not read is served again once it has read, and not before", async () => {
    let made = 0;
    const shared = budget();
    const answer = () => {
      made++;
      return "x".repeat(8 * MIB);
    };
    await serve({ admit: () => ok(answer) }, shared);
    const socket = open();
    socket.pause();
    socket.write(REQUEST.repeat(50));
    await expect.poll(() => shared.unsent.total).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made).toBeLessThan(5);
    let size = 0;
    socket.on("data", (chunk) => {
      size += chunk.length;
    });
    socket.resume();
    await expect.poll(() => size, { timeout: 20_000 }).toBeGreaterThan(50 * 8 * MIB);
    expect(made).toBe(50);
    expect(shared.unsent.total).toBe(0);
    socket.destroy();
  });

  it("keeps its time until the system has everything, wherever it waits before", async () => {
    const socket = new SlowSocket();
    let second = 0;
    const parts = {
      service: { maxBody: MIB, admit: () => ok(() => "x".repeat(20_000)) },
      ...{ budget: budget(), joint: new JointFlush(), takeForBody: () => true, now: () => second },
      onFault: (error: unknown) => faults.push(error),
    };
    const connection = new HttpConnection(socket, parts);
    socket.push(CLOSING);
    await expect.poll(() => socket.hasAll).toBeDefined();
    expect(socket.writableNeedDrain).toBe(false);
    second = 5;
    expect(connection.deadline).toBe(30);
    socket.hasAll?.();
    await expect.poll(() => connection.deadline).toBe(7);
    expect(faults).toEqual([]);
    connection.close();
  });

  it("with the most unsent bytes is cut off when the total is too large", () => {
    const bytes = new UnsentBytes(100);
    const cut: string[] = [];
    const holder = (name: string) => ({ cutOff: () => cut.push(name) });
    const [large, small] = [holder("large"), holder("small")];
    bytes.set(large, 70);
    bytes.set(small, 20);
    bytes.set(small, 30);
    expect(cut).toEqual([]);
    bytes.set(small, 40);
    expect([cut, bytes.total]).toEqual([["large"], 40]);
  });

  it("with one request does not wait for a time slice", async () => {
    const slice = new TimeSlice();
    Object.defineProperty(slice, "isDue", { value: () => true });
    slice.yield = () => new Promise(() => {});
    await serve({}, { ...budget(), slice });
    expect(await ask(CLOSING)).toContain("fine");
  });

  it("with requests that wait for their turn is not closed to make room, and is resumed once", async () => {
    const slice = new TimeSlice();
    Object.defineProperty(slice, "isDue", { value: () => true });
    const turns: (() => void)[] = [];
    slice.yield = () => new Promise((resolve) => turns.push(resolve));
    await serve({}, { ...budget(), slice }, 1);
    const pipelining = open();
    let answers = "";
    pipelining.on("data", (chunk) => {
      answers += chunk;
    });
    pipelining.write(REQUEST.repeat(3));
    await expect.poll(() => turns.length).toBe(1);
    expect(await ask(CLOSING)).toContain("HTTP/1.1 503");
    expect(answers.match(/fine/g)).toHaveLength(1);
    pipelining.write(REQUEST);
    await expect
      .poll(() => {
        turns.shift()?.();
        return answers.match(/fine/g)?.length;
      })
      .toBe(4);
    pipelining.destroy();
  });

  it("that disconnects aborts the building of its response", async () => {
    const left = new Promise<void>((resolve) => {
      void serve({
        admit: () => ({
          ...ok(() => ""),
          handle: (_body, client) =>
            new Promise((answer) => {
              client.signal.addEventListener("abort", () => {
                resolve();
                answer("");
              });
            }),
        }),
      }).then(() => {
        const socket = open();
        socket.write(REQUEST, () => setTimeout(() => socket.destroy(), 50));
      });
    });
    await left;
  });

  it("gets the place of an idle one, and a 503 if there is none", async () => {
    let release = () => {};
    const held = new Promise<string>((resolve) => {
      release = () => resolve("late");
    });
    await serve({ admit: () => ok((body) => (body.toString() === "h" ? held : "fine")) }, budget(), 2);
    const idle = open();
    await once(idle, "connect");
    const gone = once(idle, "close");
    idle.resume();
    const waiting = [open(), open()];
    for (const socket of waiting) socket.write(REQUEST.replace(/x$/, "h"));
    await gone;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ask(CLOSING)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    release();
    await once(waiting[0] as Socket, "data");
    expect(await ask(CLOSING)).toContain("fine");
    for (const socket of waiting) socket.destroy();
  });

  it("finds room beside others whose bodies are long in coming, and beside those that wait anywhere", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const shared = { ...budget(), connections: new Allowance(3) };
    await serve({}, shared, 3);
    const begun = [open(), open(), open()];
    for (const socket of begun) socket.write(REQUEST.slice(0, -1));
    await expect.poll(() => shared.connections.used).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ask(CLOSING)).toMatch(/^HTTP\/1\.1 503 /);
    const gone = once(begun[0] as Socket, "close");
    begun[0]?.resume();
    vi.advanceTimersByTime(2_000);
    expect(await ask(CLOSING)).toContain("fine");
    await gone;
    for (const socket of begun) socket.destroy();
  });

  it("finds room beside others that only wait, where all listeners together have no more", async () => {
    const shared = { ...budget(), connections: new Allowance(2) };
    await serve({}, shared);
    const idle = [open(), open()];
    await expect.poll(() => shared.connections.used).toBe(2);
    const gone = once(idle[0] as Socket, "close");
    idle[0]?.resume();
    expect(await ask(CLOSING)).toContain("fine");
    await gone;
    idle[1]?.destroy();
    await expect.poll(() => shared.connections.used).toBe(0);
  });

  it("is refused without being passed to an I/O process, and served here if none takes it", async () => {
    const takeSocket = vi.fn(() => undefined);
    listener = await listenHttp(
      { maxBody: MIB, admit: () => ok(() => new Promise(() => {})) },
      { host: "127.0.0.1", port: 0, budget: budget(), maxConnections: 1, takeSocket },
    );
    const busy = open();
    busy.write(REQUEST);
    await expect.poll(() => takeSocket.mock.calls.length).toBe(1);
    await expect.poll(() => ask(CLOSING)).toMatch(/^HTTP\/1\.1 503 /);
    expect(takeSocket.mock.calls.length).toBeLessThanOrEqual(2);
    busy.destroy();
  });
});

it("a client that goes on sending after its last response is closed after 16 MiB, however fast it is", () => {
  const socket = new SlowSocket();
  const service: HttpService = { maxBody: MIB, admit: () => ok(() => "fine") };
  new HttpConnection(socket, {
    service,
    budget: budget(),
    joint: new JointFlush(),
    takeForBody: () => true,
    now: () => 0,
    onFault() {},
  });
  socket.emit("data", Buffer.from("nonsense\r\n\r\n"));
  for (let i = 0; i < 16; i++) socket.emit("data", Buffer.alloc(MIB));
  expect(socket.destroyed).toBe(false);
  socket.emit("data", Buffer.alloc(1));
  expect(socket.destroyed).toBe(true);
});
