import { describe, expect, it, vi } from "vitest";
import { Allowance } from "../../../platform/http/budget.ts";
import { createBudget } from "../services/budget.ts";
import { RateLimit } from "../services/rate-limit.ts";
import { refused } from "./errors.ts";
import { createSession } from "./session.ts";
import { createCounts, serve } from "./testing/served-hooks.ts";

describe("limits", () => {
  it("refuse a client that calls too often, each scope on its own", async () => {
    const { counts, log } = createCounts();
    const rate = new RateLimit({ perSecond: 1 }, () => 0);
    const { ask } = serve({ counts, rate });
    expect(await ask("test_echo", ["a"])).toContain('"result":"a"');
    expect(await ask("test_echo", ["a"])).toContain('"code":-32005,"message":"too many calls per second"');
    expect(await ask("test_send")).toContain('"result":"sent"');
    expect(await ask("test_nothing")).toContain("-32601");
    expect(await ask("test_nothing2")).toContain("-32005");
    expect(log.filter((entry) => (entry as unknown[])[0] === "limited")).toHaveLength(2);
    const { server, access } = serve({ rate });
    const beside = createSession(access, { signal: new AbortController().signal, address: "127.0.0.1" });
    for (const id of [1, 2])
      expect(await server.answer(`{"id":${id},"method":"test_send"}`, beside)).toContain('"result":"sent"');
    const owner = serve({ rate }, { local: true });
    for (const text of ["a", "b"])
      expect(await owner.ask("test_echo", [text])).toContain(`"result":"${text}"`);
  });

  it("refuse calls while too many are in flight, except the owner's", async () => {
    const budget = { ...createBudget(), calls: new Allowance(1) };
    const { ask, finish } = serve({ budget });
    const first = ask("test_wait");
    expect(await ask("test_echo", ["a"])).toContain("too many calls in flight");
    expect(budget.calls.refused).toBe(1);
    const owner = serve({ budget }, { local: true });
    const its = owner.ask("test_wait");
    owner.finish();
    expect(await its).toContain("done");
    expect(budget.calls.used).toBe(1);
    finish();
    expect(await first).toContain("done");
    expect(budget.calls.used).toBe(0);
    expect(await ask("test_echo", ["a"])).toContain('"result":"a"');
  });

  it("refuse a batch with too many elements; 0 means no limit", async () => {
    const batch = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, method: "test_send" })));
    const { server, session } = serve({ limits: { batchItems: 2 } });
    expect(JSON.parse(String(await server.answer(batch(2), session)))).toHaveLength(2);
    expect(await server.answer(batch(3), session)).toContain(
      '"id":null,"error":{"code":-32600,"message":"batch too large"',
    );
    const single = serve({ limits: { batchItems: 1 } });
    expect(await single.server.answer(batch(2), single.session)).toContain("batch too large");
    const open = serve({ limits: { batchItems: 0 } });
    expect(JSON.parse(String(await open.server.answer(batch(3), open.session)))).toHaveLength(3);
  });

  it("refuse a request with too many values", async () => {
    const { server, session } = serve({});
    const request = Buffer.from(`{"id":1,"method":"test_echo","params":[${"1,".repeat(60_000)}1]}`);
    expect(await server.answer(request, session)).toContain(
      '"id":null,"error":{"code":-32600,"message":"too many values in a request"',
    );
  });

  it("on subscriptions apply once set", async () => {
    const { server, connect } = serve({});
    const session = connect();
    const subscribe = async () =>
      String(await server.answer('{"id":1,"method":"test_subscribe","params":["ticks"]}', session));
    expect(await subscribe()).toContain('"result":"0x');
    server.limitSubscriptions(1);
    expect(await subscribe()).toContain('"code":-32000');
  });
});

describe("a failure", () => {
  const errorOf = async (answer: unknown) => JSON.parse(String(await answer)).error;

  it("includes the request number if configured, unless its data is not an object", async () => {
    const { ask } = serve({ showsRequestIds: true });
    await ask("test_echo", ["a"]);
    expect(await errorOf(ask("test_refuse"))).toEqual({
      code: -32000,
      message: "no",
      data: { requestId: 2 },
    });
    expect(await errorOf(ask("test_revert"))).toMatchObject({ code: 3, data: "0x08" });
    expect(await errorOf(serve({}).ask("test_refuse"))).toEqual({ code: -32000, message: "no" });
  });

  it("has the text of another release where that differs", async () => {
    const { ask } = serve({ phrases: new Map([["no", "never"]]) });
    expect(await errorOf(ask("test_refuse"))).toEqual({ code: -32000, message: "never" });
    expect(await errorOf(ask("test_revert"))).toMatchObject({ message: "reverted" });
  });

  it("gets the same response when asynchronous, and is reported only if unexpected", async () => {
    const { ask, fail, defects } = serve({});
    for (const [error, code] of [
      [refused("later"), -32000],
      [new TypeError("secret"), -32603],
    ] as const) {
      const answer = ask("test_wait");
      fail(error);
      expect((await errorOf(answer)).code).toBe(code);
    }
    expect(defects).toEqual([["test_wait", expect.any(TypeError), 2]]);
  });

  it("is logged with number, method, milliseconds and code, while the log is on", async () => {
    const lines: object[] = [];
    const log = { isOn: true, answered: (line: object) => void lines.push(line) };
    vi.spyOn(performance, "now").mockReturnValueOnce(5).mockReturnValueOnce(7.0126).mockReturnValue(9);
    const { ask } = serve({ log });
    await ask("test_echo", ["a"]);
    await ask("test_refuse");
    await ask(`test_${"x".repeat(100)}`);
    log.isOn = false;
    await ask("test_echo", ["a"]);
    expect(lines).toEqual([
      { request: 1, method: "test_echo", ms: 2.013 },
      { request: 2, method: "test_refuse", ms: 0, code: -32000 },
      { request: 3, method: `test_${"x".repeat(55)}`, ms: 0, code: -32601 },
    ]);
  });
});
