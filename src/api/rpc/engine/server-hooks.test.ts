import { describe, expect, it, vi } from "vitest";
import { Allowance } from "../../../platform/http/budget.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { string } from "../../../protocol/codec/json/scalars.ts";
import type { SecretText } from "../../../protocol/codec/json/secret.ts";
import { createBudget } from "../services/budget.ts";
import { RateLimit } from "../services/rate-limit.ts";
import { type Handlers, method } from "../spec/method.ts";
import { echo, secret } from "../testing/declarations.ts";
import { serveMethods } from "../testing/serve-methods.ts";
import { TokenCheck } from "../transports/token-check.ts";
import { RpcError, refused } from "./errors.ts";
import type { CallCounts, ServerOptions } from "./server-options.ts";
import { createSession } from "./session.ts";

const params = {};
const api = {
  echo,
  send: method({ summary: "Sends.", params, result: string, scope: "send" }),
  refuse: method({ summary: "Refuses.", params, result: string, scope: "state" }),
  revert: method({ summary: "Reverts.", params, result: string, scope: "state" }),
  wait: method({ summary: "Waits.", params, result: string, scope: "state" }),
  secret,
};

/** A server with test methods; `wait` answers once `finish` is called. */
function serve(options: ServerOptions, { local = false } = {}) {
  const waiting: { resolve(text: string): void; reject(error: Error): void }[] = [];
  const held: SecretText[] = [];
  const handlers: Handlers<typeof api> = {
    echo: ({ text }, { onConsole }) => {
      onConsole?.([new Uint8Array([7])]);
      return text;
    },
    send: () => "sent",
    refuse: () => {
      throw refused("no");
    },
    revert: () => {
      throw new RpcError(3, "reverted", "0x08");
    },
    wait: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    secret: ({ passphrase }) => {
      held.push(passphrase as SecretText);
      return "ok";
    },
  };
  const served = serveMethods(api, handlers, options, { local });
  const { server, session } = served;
  const ask = (name: string, args: unknown[] = [], id = 1) =>
    server.answer(JSON.stringify({ jsonrpc: "2.0", id, method: name, params: args }), session);
  const finish = () => {
    for (const { resolve } of waiting.splice(0)) resolve("done");
  };
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  return { ...served, ask, finish, fail, held };
}

function createCounts() {
  const log: unknown[] = [];
  const begun: number[] = [];
  const counter = (name: string) => ({ add: (change?: number) => void log.push([name, change ?? 1]) });
  const counts = {
    begun: () => void begun.push(log.length),
    ended: (name: string | undefined, _: number, code?: number) => void log.push([name, code === undefined]),
    ...{ subscribed: counter("subscribed"), unsubscribed: counter("unsubscribed") },
    ...{ limited: counter("limited"), connections: counter("connections") },
  };
  return { counts: counts as unknown as CallCounts, log, begun };
}

describe("counters", () => {
  it("count calls by outcome, unknown ones without a name", async () => {
    const { counts, log, begun } = createCounts();
    const { ask, server, finish } = serve({ counts });
    await ask("test_echo", ["a"]);
    await ask("test_refuse");
    await ask("test_nothing");
    const answer = ask("test_wait");
    finish();
    await answer;
    expect(log).toEqual([
      ["test_echo", true],
      ["test_refuse", false],
      [undefined, false],
      ["test_wait", true],
    ]);
    expect(begun).toEqual([0, 1, 2, 3]);
    server.countConnection(-1);
    expect(log.at(-1)).toEqual(["connections", -1]);
  });

  it("count subscriptions started and ended", async () => {
    const { counts, log } = createCounts();
    const { server, connect } = serve({ counts });
    const session = connect();
    const { result } = JSON.parse(
      String(await server.answer('{"id":1,"method":"test_subscribe","params":["ticks"]}', session)),
    );
    await server.answer(`{"id":1,"method":"test_unsubscribe","params":["${result}"]}`, session);
    expect(log).toContainEqual(["subscribed", 1]);
    expect(log).toContainEqual(["unsubscribed", 1]);
  });
});

describe("an interceptor", () => {
  it("gets name, parameters and declaration, and may call the node's own method, even with other arguments", async () => {
    const seen: unknown[] = [];
    const { ask } = serve({
      interceptor: () => (name, given, own, bound) => {
        seen.push(name, given, bound?.declaration.summary);
        return name === "test_echo" ? own(["other"]) : own();
      },
    });
    expect(await ask("test_echo", ["a"])).toContain('"result":"other"');
    expect(await ask("test_send")).toContain('"result":"sent"');
    expect(seen).toEqual(["test_echo", ["a"], "Returns its argument.", "test_send", [], "Sends."]);
  });

  it("is chosen by the declaration of the method", async () => {
    const { ask } = serve({
      interceptor: (bound) => (bound?.declaration.scope === "send" ? () => "intercepted" : undefined),
    });
    expect(await ask("test_send")).toContain('"result":"intercepted"');
    expect(await ask("test_echo", ["a"])).toContain('"result":"a"');
    expect(await ask("test_nothing")).toContain("-32601");
  });
});

describe("an observer", () => {
  const observed = (isWatched: boolean) => {
    const log: unknown[] = [];
    const observer = {
      isWatched,
      begin: (name: string, given: unknown, bound: unknown) => {
        log.push(["begin", name, given, bound !== undefined]);
        return {
          onConsole: (written: readonly Uint8Array[]) => void log.push(["console", ...written]),
          end: (failure?: { error: unknown }) => void log.push(["end", failure?.error]),
        };
      },
    };
    return { log, ...serve({ observer }) };
  };

  it("sees each call, its console output and its outcome", async () => {
    const { log, ask, finish } = observed(true);
    await ask("test_echo", ["a"]);
    await ask("test_refuse");
    const answer = ask("test_wait");
    finish();
    await answer;
    expect(log).toEqual([
      ["begin", "test_echo", ["a"], true],
      ["console", new Uint8Array([7])],
      ["end", undefined],
      ["begin", "test_refuse", [], true],
      ["end", expect.objectContaining({ message: "no" })],
      ["begin", "test_wait", [], true],
      ["end", undefined],
    ]);
  });

  it("sees nothing while nobody watches", async () => {
    const { log, ask } = observed(false);
    await ask("test_echo", ["a"]);
    expect(log).toEqual([]);
  });
});

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

  it("is answered alike when asynchronous, and reported only if unexpected", async () => {
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

describe("further options", () => {
  it("include the token check and the defect listener", () => {
    const token = new TokenCheck(new Uint8Array(32), () => 0);
    const { server, defects } = serve({ token });
    expect(server.token).toBe(token);
    server.reportDefect("a transport", "what broke");
    expect(defects).toEqual([["a transport", "what broke"]]);
  });

  it("secrets in the bytes of a request are overwritten once it is answered", async () => {
    const { server, session, held } = serve({});
    const request = Buffer.from('{"id":1,"method":"test_secret","params":["hunter2"]}');
    expect(await server.answer(request, session)).toContain('"result":"ok"');
    expect(request.toString()).not.toContain("hunter2");
    expect(held.map(({ bytes }) => bytes)).toEqual([new Uint8Array(7)]);
  });

  it("long texts yield when the time slice is used up, short ones do not", async () => {
    const turns: string[] = [];
    class UsedUp extends TimeSlice {
      override isDue(): boolean {
        return true;
      }
      override yield(lane: "clients" | "reads"): Promise<void> {
        turns.push(lane);
        return Promise.resolve();
      }
    }
    const { ask } = serve({ budget: { ...createBudget(), slice: new UsedUp() } });
    const echoOf = (length: number) => ask("test_echo", ["x".repeat(length)]);
    const around = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "test_echo", params: [""] }).length;
    expect(echoOf(16 * 1024 - around)).not.toBeInstanceOf(Promise);
    const long = echoOf(16 * 1024 - around + 1);
    expect(long).toBeInstanceOf(Promise);
    expect(String(await long)).toContain("xxx");
    expect(turns).toEqual(["clients"]);
  });

  it("each element of a batch checks the time slice against the current time", async () => {
    const looks: number[] = [];
    class Watched extends TimeSlice {
      override isDue(now = performance.now()): boolean {
        looks.push(now);
        return false;
      }
    }
    const { server, session } = serve({ budget: { ...createBudget(), slice: new Watched() } });
    const busy = '{"id":1,"method":"test_send"}';
    for (const element of [busy, "7", '{"result":1,"id":1}', '{"method":"test_send"}']) {
      looks.length = 0;
      const begun = performance.now();
      await server.answer(`[${Array.from({ length: 5 }, () => element).join()}]`, session);
      expect(looks).toHaveLength(5);
      expect(looks).toEqual(looks.toSorted((a, b) => a - b));
      expect(looks[0]).toBeGreaterThanOrEqual(begun);
      await new Promise((resolve) => setTimeout(resolve, 2)); // an earlier end time must not be reused
    }
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => ++ms);
    looks.length = 0;
    await server.answer(`[${busy},7,7,7]`, session);
    // the end of a call serves as the start of the next element only
    const gaps = looks.slice(1).map((look, i) => look - (looks[i] as number));
    expect(gaps.map((gap) => gap > 0)).toEqual([true, true, true]);
  });
});
