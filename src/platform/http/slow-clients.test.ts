import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { DEFAULT_TIMES, RefusalCounts, UnsentBytes } from "./budget.ts";
import { HttpConnection } from "./connection/connection.ts";
import { JointFlush } from "./connection/joint-flush.ts";
import type { HttpService, Verdict } from "./service.ts";
import { ask, budget, CLOSING, MIB, ok, open, REQUEST, serve } from "./testing/server.ts";
import { SlowSocket } from "./testing/slow-socket.ts";

describe("a client", () => {
  it("that does not read is served again only once it has read", async () => {
    let made = 0;
    const shared = budget();
    const answer = () => {
      made++;
      return "x".repeat(8 * MIB);
    };
    await serve({ admit: () => ok(answer) }, { budget: shared });
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

  it("keeps its deadline until the system has everything, wherever the bytes wait before", async () => {
    const socket = new SlowSocket();
    const faults: unknown[] = [];
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

  it("has the times that the budget gives it", async () => {
    const socket = new SlowSocket();
    let answer: (text: string) => void = () => {};
    const verdict = ok(() => new Promise<string>((resolve) => (answer = resolve)));
    const times = { head: 3, body: 4, idle: 5, unread: 6, answer: 2_000 };
    const parts = {
      service: { maxBody: MIB, admit: () => verdict },
      budget: { ...budget(), unsent: new UnsentBytes(MIB, times.unread), times },
      ...{ joint: new JointFlush(), takeForBody: () => true, now: () => 100, onFault: () => {} },
    };
    const connection = new HttpConnection(socket, parts);
    expect(connection.deadline).toBe(103);
    socket.push(REQUEST.slice(0, -1));
    await expect.poll(() => connection.deadline).toBe(104);
    socket.push("x");
    await expect.poll(() => connection.deadline).toBe(2_100);
    answer("fine");
    await expect.poll(() => connection.deadline).toBe(105);
    socket.push("POST");
    await expect.poll(() => connection.deadline).toBe(103);
    expect(parts.budget.unsent.stalledSeconds).toBe(6);
    connection.close();
  });

  it("whose request takes longer than it may is answered with 503, and its call is aborted", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const calls: AbortSignal[] = [];
    const refusals = new RefusalCounts();
    const answers: ((text: string) => void)[] = [];
    const handle: Verdict["handle"] = (_body, client) => {
      calls.push(client.signal);
      return new Promise((resolve) => answers.push(resolve));
    };
    const times = { ...DEFAULT_TIMES, answer: 7 };
    await serve({ admit: () => ({ ...ok(() => ""), handle }) }, { budget: { ...budget(), times, refusals } });
    const reply = ask(REQUEST + REQUEST);
    await expect.poll(() => calls.length).toBe(1);
    vi.advanceTimersByTime(6_000);
    expect(calls[0]?.aborted).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(calls[0]?.aborted).toBe(true);
    answers[0]?.("too late");
    expect(await reply).toMatch(/^HTTP\/1\.1 503 .*\r\nConnection: close\r\n.*\r\n\r\ntimeout\n$/s);
    expect([calls.length, refusals.of(503)]).toEqual([1, 1]);
  });

  it.each([
    ["half a head", REQUEST.slice(0, 20), () => "", { late: 1, cut: 0 }],
    ["half a body", REQUEST.slice(0, -1), () => "", { late: 1, cut: 0 }],
    ["an unread response", REQUEST, () => "x".repeat(MIB), { late: 0, cut: 1 }],
    ["nothing", "", () => "", { late: 0, cut: 0 }],
  ])("whose time is over after %s is counted", async (_, text, answer, counted) => {
    const socket = new SlowSocket();
    const shared = { ...budget(), refusals: new RefusalCounts() };
    const parts = {
      service: { maxBody: MIB, admit: () => ok(answer) },
      ...{
        budget: shared,
        joint: new JointFlush(),
        takeForBody: () => true,
        now: () => 0,
        onFault: () => {},
      },
    };
    const connection = new HttpConnection(socket, parts);
    if (text !== "") socket.emit("data", Buffer.from(text));
    await new Promise(setImmediate);
    if (counted.cut > 0) Object.defineProperty(socket, "writableLength", { value: 1 });
    connection.expire();
    expect(socket.destroyed).toBe(true);
    expect({ late: shared.refusals.of(408), cut: shared.unsent.cut }).toEqual(counted);
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
    await serve({}, { budget: { ...budget(), slice } });
    expect(await ask(CLOSING)).toContain("fine");
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
