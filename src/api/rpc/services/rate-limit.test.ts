import { describe, expect, it } from "vitest";
import { Registry } from "../engine/registry.ts";
import { RpcServer } from "../engine/server.ts";
import { createSession } from "../engine/session.ts";
import { RateLimit } from "./rate-limit.ts";

function limit(perSecond: number, loopback = false) {
  const clock = { now: 10_000 };
  return { clock, rate: new RateLimit({ perSecond, loopback }, () => clock.now) };
}

/** How many of `count` calls are allowed. */
function passed(rate: RateLimit, address: string, count: number, callClass: "chain" | "send" = "chain") {
  return Array.from({ length: count }, () => rate.allows(address, callClass)).filter(Boolean).length;
}

describe("a rate limit", () => {
  it("allows a burst of one second's calls, then refills over time", () => {
    const { rate, clock } = limit(10);
    expect(passed(rate, "192.0.2.1", 100)).toBe(10);
    clock.now += 500;
    expect(passed(rate, "192.0.2.1", 100)).toBe(5);
    clock.now += 60_000;
    expect(passed(rate, "192.0.2.1", 100)).toBe(10);
  });

  it("counts clients and method scopes separately, and IPv6 networks as one client", () => {
    const { rate } = limit(10);
    expect(passed(rate, "192.0.2.1", 100)).toBe(10);
    expect(passed(rate, "192.0.2.1", 100, "send")).toBe(10);
    expect(passed(rate, "::ffff:192.0.2.1", 100)).toBe(0);
    expect(passed(rate, "2001:db8::1", 100)).toBe(10);
    expect(passed(rate, "2001:db8:0:0:1::", 100)).toBe(0);
    expect(passed(rate, "2001:db8:0:1::1", 100)).toBe(10);
  });

  it("exempts loopback by default, and callers without an address always", () => {
    expect(passed(limit(1).rate, "127.0.0.1", 9)).toBe(9);
    expect(passed(limit(1, true).rate, "127.0.0.1", 9)).toBe(1);
    expect(passed(limit(1, true).rate, "::1", 9)).toBe(1);
    expect(passed(limit(1, true).rate, "", 9)).toBe(9);
  });

  it("remembers who has just used up a burst, whenever old buckets are dropped", () => {
    for (const [first, second] of [
      [900, 600],
      [1000, 500],
      [1900, 100],
    ] as const) {
      const { rate, clock } = limit(10);
      rate.allows("192.0.2.9", "chain");
      clock.now += first;
      expect(passed(rate, "192.0.2.1", 100)).toBe(10);
      clock.now += second;
      expect(passed(rate, "192.0.2.1", 100)).toBe(second / 100);
    }
  });

  it("forgets clients that have been idle for two seconds", () => {
    const { rate, clock } = limit(10);
    for (let i = 0; i < 1000; i++) rate.allows(`192.0.${i >> 8}.${i & 255}`, "chain");
    clock.now += 3000;
    rate.allows("192.0.2.1", "chain");
    expect(rate.size).toBe(1);
    clock.now += 1001;
    rate.allows("192.0.2.2", "chain");
    expect(rate.size).toBe(2);
  });

  it("counts the calls of a batch one by one, and returns -32005 beyond it", async () => {
    const { rate } = limit(3);
    const server = new RpcServer(() => {}, { rate });
    const access = new Registry().access({ unsafe: true });
    const session = createSession(access, { address: "192.0.2.1", signal: new AbortController().signal });
    const batch = `[${Array(5).fill('{"jsonrpc":"2.0","id":1,"method":"no_such"}').join(",")}]`;
    const answers = JSON.parse(String(await server.answer(batch, session))) as { error: { code: number } }[];
    expect(answers.map(({ error }) => error.code)).toEqual([-32601, -32601, -32601, -32005, -32005]);
  });
});
