import { describe, expect, it, vi } from "vitest";
import { address, quantity } from "../../../protocol/codec/json/hex.ts";
import { string } from "../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../protocol/codec/json/schema.ts";
import { rpcHandlers } from "../handlers/node/rpc.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { method } from "../spec/method.ts";
import { rpc } from "../spec/node/rpc.ts";
import { web3 } from "../spec/node/web3.ts";
import { secret, ticks } from "../testing/declarations.ts";
import { refused } from "./errors.ts";
import { type AccessRules, Registry } from "./registry.ts";
import { RpcServer } from "./server.ts";
import { createPushSession, createSession } from "./session.ts";

const api = {
  echo: method({
    summary: "Returns its argument.",
    params: { text: required(string, "Text."), times: optional(quantity, "Count.") },
    result: string,
    scope: "state",
  }),
  later: method({ summary: "Answers later.", params: {}, result: string, scope: "state" }),
  refuse: method({ summary: "Refuses.", params: {}, result: string, scope: "state" }),
  break: method({ summary: "Breaks.", params: {}, result: string, scope: "state" }),
  secret,
};
const unsafe = {
  unsafe: method({ summary: "Unsafe.", params: {}, result: string, scope: "node", unsafe: true }),
};
const accounts = {
  getThing: method({
    summary: "A thing.",
    params: { address: required(address, "Account.") },
    result: string,
    scope: "state",
  }),
};

function createTestRegistry(emitters: ((tick: string) => void)[] = []): Registry {
  const registry = new Registry();
  return registry
    .mount("rpc", rpc, rpcHandlers("1"))
    .mount("web3", web3, web3Handlers("test"))
    .mount("test", api, {
      echo: ({ text }) => text,
      later: () => Promise.resolve("later"),
      refuse: () => {
        throw refused("no <way>");
      },
      break: () => {
        throw new TypeError("secret detail");
      },
      secret: () => "ok",
    })
    .mount("debug", unsafe, { unsafe: () => "done" })
    .mount("chain", accounts, { getThing: () => "thing" })
    .addSubscriptions("chain", ticks, {
      ticks: (_args, emit) => {
        emitters.push(emit);
        emit("first");
        return () => emitters.splice(emitters.indexOf(emit), 1);
      },
    });
}

const signal = new AbortController().signal;
const defects: string[] = [];
const server = new RpcServer((name) => defects.push(name));

async function ask(text: string, rules: AccessRules = { unsafe: true }): Promise<string> {
  return String(await server.answer(text, createSession(createTestRegistry().access(rules), { signal })));
}
const call = (methodName: string, params: unknown = [], rules?: AccessRules) =>
  ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method: methodName, params }), rules);
const error = async (...args: Parameters<typeof call>) => JSON.parse(await call(...args)).error;

// Envelope rules measured on the reference nodes v1.12.1 and v2.2.1.
describe("the envelope", () => {
  it.each([
    ["1.0", "1.0"],
    ["1e3", "1e3"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ['"a<b"', '"a\\u003cb"'],
    ['"\\u0061"', '"\\u0061"'],
    ["null", "null"],
    ["true", "true"],
  ])("echoes the id %s as written", async (id, echoed) => {
    const text = `{"jsonrpc":"2.0","id":${id},"method":"test_later"}`;
    expect(await ask(text)).toBe(`{"jsonrpc":"2.0","id":${echoed},"result":"later"}`);
  });

  it.each([
    ["null", -32600, null],
    ["5", -32600, null],
    ["{}", -32600, null],
    ['{"id":{},"method":"test_later"}', -32600, null],
    ['{"id":7,"method":5}', -32600, 7],
    ["{foo", -32700, null],
  ])("refuses %s", async (text, code, id) => {
    expect(JSON.parse(await ask(text))).toMatchObject({ id, error: { code } });
  });

  it("accepts members in any letter case; the last one wins", async () => {
    expect(await ask('{"ID":1,"Method":"test_refuse","method":"test_later"}')).toContain(
      '"id":1,"result":"later"',
    );
    expect(await ask('{"id":1,"Method":"test_later","method":null}')).toContain('"result":"later"');
    expect(await ask('{"ID":"\\u0041","method":"test_later"}')).toContain('"id":"\\u0041"');
  });

  it("responds neither to notifications nor to responses nor to blank texts", async () => {
    for (const text of [
      '{"method":"test_break"}',
      '{"id":1,"result":5}',
      '{"id":1,"result":null}',
      '{"method":"x_subscription"}',
      " \n",
    ])
      expect(await ask(text)).toBe("");
  });

  it("responds to a batch in order, without notifications, even with asynchronous calls", async () => {
    const batch =
      '[{"id":1,"method":"test_later"},null,{"method":"test_later"},{"id":2,"method":"test_echo","params":["x"]}]';
    expect(JSON.parse(await ask(batch)).map((answer: { id: unknown }) => answer.id)).toEqual([1, null, 2]);
    expect(JSON.parse(await ask("[]"))).toMatchObject({ error: { code: -32600, message: "empty batch" } });
    expect(await ask('[{"method":"test_later"}]')).toBe("");
  });
});

describe("arguments", () => {
  it("are refused with the reference's text and a hint of our own", async () => {
    expect(await error("test_echo")).toMatchObject({
      code: -32602,
      message: "missing value for required argument 0",
      data: { hint: "Parameter 1 (text) is missing; it expects a string." },
    });
    expect(await error("test_echo", ["a", "0x1", 3])).toMatchObject({
      message: "too many arguments, want at most 2",
    });
    expect(await error("test_echo", {})).toMatchObject({ message: "non-array args" });
    const beyond = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":1e400}';
    expect(await ask(beyond)).toContain("json: cannot unmarshal number 1e400 into Go value of type float64");
    expect(await error("test_echo", ["a", 5])).toMatchObject({
      message: "invalid argument 1: json: cannot unmarshal non-string into Go value of type *hexutil.Big",
      data: { hint: expect.stringContaining("Parameter 2 (times) got 5; it expects a number") },
    });
  });

  it("never show a secret in a hint", async () => {
    const { data } = await error("test_secret", [{ hidden: "hunter2" }]);
    expect(data.hint).not.toContain("hunter2");
  });

  it("of a method without parameters are ignored", async () => {
    expect(await call("test_later", [1, {}])).toContain('"later"');
  });
});

describe("errors", () => {
  it("thrown deliberately keep their text, escaped", async () => {
    expect(await call("test_refuse")).toContain('{"code":-32000,"message":"no \\u003cway\\u003e"}');
  });

  it("that are unexpected hide their text and are reported", async () => {
    expect(await error("test_break")).toEqual({ code: -32603, message: "internal error" });
    expect(defects).toContain("test_break");
  });
});

describe("access", () => {
  it("opens all names of the chain namespace when one is enabled, and lists that of the release", async () => {
    const rules = { modules: ["klay", "miner"], unsafe: true };
    for (const name of ["chain", "klay", "kaia"])
      expect(await call(`${name}_getThing`, [`0x${"00".repeat(20)}`], rules)).toContain("thing");
    expect(JSON.parse(await call("rpc_modules", [], rules)).result).toEqual({ kaia: "1.0", rpc: "1.0" });
  });

  it("refuses disabled modules and, where forbidden, unsafe methods", async () => {
    expect(await error("web3_sha3", ["0x"], { modules: ["test"], unsafe: true })).toMatchObject({
      code: -32601,
    });
    expect(await error("debug_unsafe", [], { unsafe: false })).toEqual({
      code: -32601,
      message: "the method debug_unsafe does not exist/is not available",
    });
    expect(await call("debug_unsafe", [], { unsafe: true })).toContain("done");
  });
});

describe("subscriptions", () => {
  it("deliver their first event after the response with their id, and none once they end", async () => {
    const emitters: ((tick: string) => void)[] = [];
    const sent: string[] = [];
    const access = createTestRegistry(emitters).access({ unsafe: true });
    const session = createPushSession(
      access,
      signal,
      { send: (text) => sent.push(String(text)), cutOff() {} },
      server,
    );
    sent.push(String(await server.answer('{"id":1,"method":"kaia_subscribe","params":["ticks"]}', session)));
    session.subscriptions.release();
    const id = JSON.parse(sent[0] as string).result;
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{0,31}$/);
    emitters[0]?.("second");
    // If the time slice is used up, other work goes first.
    await expect
      .poll(() => sent.slice(1))
      .toEqual(
        ["first", "second"].map(
          (tick) =>
            `{"jsonrpc":"2.0","method":"kaia_subscription","params":{"subscription":"${id}","result":"${tick}"}}`,
        ),
      );
    expect(await server.answer(`{"id":2,"method":"foo_unsubscribe","params":["${id}"]}`, session)).toContain(
      "true",
    );
    expect(emitters).toHaveLength(0);
    const named = async (method: string, param: string) =>
      JSON.parse(String(await server.answer(`{"id":3,"method":"${method}","params":["${param}"]}`, session)));
    const other = (await named("kaia_any_subscribe", "ticks")).result;
    expect(other).toMatch(/^0x/);
    expect((await named("foo_any_unsubscribe", other)).result).toBe(true);
  });

  it("that cannot be delivered are reported, and the connection is cut off", async () => {
    const found: unknown[][] = [];
    const own = new RpcServer((...defect) => found.push(defect));
    const emitters: ((tick: string) => void)[] = [];
    const cutOff = vi.fn();
    const failure = new Error("broken pipe");
    const send = () => {
      throw failure;
    };
    const access = createTestRegistry(emitters).access({ unsafe: true });
    const session = createPushSession(access, signal, { send, cutOff }, own);
    await own.answer('{"id":1,"method":"kaia_subscribe","params":["ticks"]}', session);
    try {
      session.subscriptions.release();
    } catch {
      // the first event is sent by whoever releases it
    }
    emitters[0]?.("second");
    await expect.poll(() => found).toEqual([["subscription", failure]]);
    expect(cutOff).toHaveBeenCalled();
  });

  it("are refused where nothing can be pushed", async () => {
    expect(await error("foo_subscribe", ["ticks"])).toMatchObject({ message: "notifications not supported" });
  });
});
