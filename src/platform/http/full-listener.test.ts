import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance } from "./budget.ts";
import type { Certificate } from "./certificate.ts";
import { ask, budget, CLOSING, ok, open, REQUEST, serve } from "./testing/server.ts";

/** A complete ClientHello without fields. */
const EMPTY_HELLO = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0]);

describe("a client of a full listener", () => {
  it("with requests that wait for their turn is not closed to make room, and is resumed once", async () => {
    const slice = new TimeSlice();
    Object.defineProperty(slice, "isDue", { value: () => true });
    const turns: (() => void)[] = [];
    slice.yield = () => new Promise((resolve) => turns.push(resolve));
    await serve({}, { budget: { ...budget(), slice }, maxConnections: 1 });
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

  it("is not closed to make room once its connection is upgraded", async () => {
    const upgrade = vi.fn();
    await serve({ upgrades: () => true, upgrade }, { maxConnections: 1 });
    const upgraded = open();
    upgraded.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    await expect.poll(() => upgrade.mock.calls.length).toBe(1);
    expect(await ask(CLOSING)).toContain("HTTP/1.1 503");
    expect(upgraded.closed).toBe(false);
    upgraded.destroy();
  });

  it("finds the place of a TLS handshake that waits for its turn taken, until that has waited for 30 s", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const slice = new TimeSlice();
    Object.defineProperty(slice, "isDue", { value: () => true });
    let waiting = 0;
    slice.yield = () => {
      waiting++;
      return new Promise(() => {});
    };
    const secure = vi.fn();
    const certificate = { secure } as unknown as Certificate;
    await serve({}, { budget: { ...budget(), slice }, maxConnections: 1, certificate });
    const first = open();
    const firstGone = once(first, "close");
    first.resume().write(EMPTY_HELLO);
    await expect.poll(() => waiting).toBe(1);
    const refused = open();
    await once(refused.resume(), "close");
    vi.advanceTimersByTime(29_000);
    const stillRefused = open();
    await once(stillRefused.resume(), "close");
    expect(first.closed).toBe(false);
    vi.advanceTimersByTime(1_000);
    await firstGone;
    open().write(EMPTY_HELLO);
    await expect.poll(() => waiting).toBe(2);
    expect(secure).not.toHaveBeenCalled();
  });

  it("displaces an idle one, and gets a 503 if there is none", async () => {
    let release = () => {};
    const held = new Promise<string>((resolve) => {
      release = () => resolve("late");
    });
    const answer = vi.fn((body: Buffer) => (body.toString() === "h" ? held : "fine"));
    await serve({ admit: () => ok(answer) }, { maxConnections: 2 });
    const idle = open();
    await once(idle, "connect");
    const gone = once(idle, "close");
    idle.resume();
    const waiting = [open(), open()];
    for (const socket of waiting) socket.write(REQUEST.replace(/x$/, "h"));
    await gone;
    await expect.poll(() => answer.mock.calls.length).toBe(2);
    expect(await ask(CLOSING)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    release();
    await once(waiting[0] as Socket, "data");
    expect(await ask(CLOSING)).toContain("fine");
    for (const socket of waiting) socket.destroy();
  });

  it("displaces others whose bodies arrive slowly, whichever way they wait", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const shared = { ...budget(), connections: new Allowance(3) };
    await serve({}, { budget: shared, maxConnections: 3 });
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

  it("displaces others that only wait, if all listeners together have no room", async () => {
    const shared = { ...budget(), connections: new Allowance(2) };
    await serve({}, { budget: shared });
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
    await serve({ admit: () => ok(() => new Promise(() => {})) }, { maxConnections: 1, takeSocket });
    const busy = open();
    busy.write(REQUEST);
    await expect.poll(() => takeSocket.mock.calls.length).toBe(1);
    await expect.poll(() => ask(CLOSING)).toMatch(/^HTTP\/1\.1 503 /);
    expect(takeSocket.mock.calls.length).toBeLessThanOrEqual(2);
    busy.destroy();
  });
});
