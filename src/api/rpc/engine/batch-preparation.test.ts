import { describe, expect, it } from "vitest";
import { string } from "../../../protocol/codec/json/scalars.ts";
import { required } from "../../../protocol/codec/json/schema.ts";
import { RateLimit } from "../services/rate-limit.ts";
import { method, withBatchPreparation } from "../spec/method.ts";
import { PREPARE_CHUNK } from "./batch-preparation.ts";
import { type RpcError, refused } from "./errors.ts";
import { Registry } from "./registry.ts";
import { RpcServer } from "./server.ts";
import type { ServerOptions } from "./server-options.ts";
import { createSession } from "./session.ts";

const api = {
  put: method({
    summary: "Takes a text.",
    params: { text: required(string, "Text.") },
    result: string,
    scope: "node",
  }),
  other: method({ summary: "Prepares for nothing.", params: {}, result: string, scope: "node" }),
};

interface Caller {
  readonly fails?: boolean;
  readonly local?: boolean;
  readonly refusal?: RpcError;
}

function serve(options: ServerOptions = {}, { fails = false, local = false, refusal }: Caller = {}) {
  const events: string[] = [];
  const registry = new Registry().mount("test", api, {
    put: withBatchPreparation(
      ({ text }) => {
        events.push(text);
        return Promise.resolve(text);
      },
      async (all) => {
        events.push(`[${all.map(({ text }) => text).join(" ")}]`);
        if (fails) throw new Error("nothing prepared");
      },
    ),
    other: () => "other",
  });
  const server = new RpcServer(() => {}, options);
  const client = { signal: new AbortController().signal };
  const session = createSession(registry.access({ unsafe: false, local }), client, refusal);
  const ask = async (messages: unknown) =>
    JSON.parse(String(await server.answer(JSON.stringify(messages), session)));
  return { events, ask };
}

const put = (text: unknown, id = 1) => ({ jsonrpc: "2.0", id, method: "test_put", params: [text] });

describe("a method that prepares for the calls of a batch", () => {
  it("gets all of them before the first runs, and each is executed in order", async () => {
    const { events, ask } = serve();
    const answers = await ask([put("a"), { id: 2, method: "test_other" }, put("b", 3)]);
    expect(events).toEqual(["[a b]", "a", "b"]);
    expect(answers.map(({ id, result }: { id: number; result: string }) => [id, result])).toEqual([
      [1, "a"],
      [2, "other"],
      [3, "b"],
    ]);
  });

  it("does not get calls with invalid arguments, which fail in order", async () => {
    const { events, ask } = serve();
    const wrong = { id: 2, method: "test_put", params: { text: "x" } };
    const answers = await ask([put(5), wrong, put("b", 3)]);
    expect(events).toEqual(["[b]", "b"]);
    expect(answers[0].error).toMatchObject({ code: -32602 });
    expect(answers[1].error).toMatchObject({ code: -32602, message: "non-array args" });
    expect(answers[2].result).toBe("b");
  });

  it("gets them in chunks", async () => {
    const { events, ask } = serve();
    await ask(Array.from({ length: 2 * PREPARE_CHUNK + 1 }, (_, i) => put(String(i))));
    const told = events.flatMap((event, at) =>
      event.startsWith("[") ? [[at, event.split(" ").length]] : [],
    );
    expect(told).toEqual([
      [0, PREPARE_CHUNK],
      [PREPARE_CHUNK + 1, PREPARE_CHUNK],
      [2 * PREPARE_CHUNK + 2, 1],
    ]);
  });

  it("may fail to prepare", async () => {
    const { ask } = serve({}, { fails: true });
    expect((await ask([put("a"), put("b")])).map(({ result }: { result: string }) => result)).toEqual([
      "a",
      "b",
    ]);
  });

  it("gets nothing for a single call, or where calls may be refused", async () => {
    const { events, ask } = serve();
    await ask(put("a"));
    expect(events).toEqual(["a"]);
    const limited = serve({ rate: new RateLimit({ perSecond: 1 }, () => 0) });
    await limited.ask([put("a"), put("b")]);
    expect(limited.events).toEqual(["a", "b"]);
    const refusing = serve({}, { refusal: refused("not there yet") });
    const [answer] = await refusing.ask([put("a"), put("b")]);
    expect([answer.error.message, refusing.events]).toEqual(["not there yet", []]);
  });

  it("gets all calls of the owner, who is not rate-limited", async () => {
    const owner = serve({ rate: new RateLimit({ perSecond: 1 }, () => 0) }, { local: true });
    await owner.ask([put("a"), put("b")]);
    expect(owner.events).toEqual(["[a b]", "a", "b"]);
  });
});
