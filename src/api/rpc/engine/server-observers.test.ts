import { describe, expect, it } from "vitest";
import { createCounts, serve } from "./testing/served-hooks.ts";

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

  it("count messages that are refused as a whole", async () => {
    const { counts, log } = createCounts();
    const { server, connect } = serve({ counts, limits: { batchItems: 1 } });
    for (const text of ["{", "[]", "5", '[{"id":1,"method":"test_echo"},{"id":2,"method":"test_echo"}]'])
      await server.answer(text, connect());
    expect(log).toEqual([-32700, -32600, -32600, -32600].map((code) => ["refused", code]));
    await server.answer(`[${"[],".repeat(60_000)}0]`, connect());
    expect(log.at(-1)).toEqual(["refused", -32600]);
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
