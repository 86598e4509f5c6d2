import { describe, expect, it } from "vitest";
import { string } from "../../../protocol/codec/json/scalars.ts";
import { method } from "../spec/method.ts";
import { Registry } from "./registry.ts";

const group = { answer: method({ summary: "The answer.", params: {}, result: string, scope: "chain" }) };
const handlers = { answer: () => "42" };

it("gives one view to all listeners with the same rules, and a new one once there are more methods", () => {
  const registry = new Registry().mount("eth", group, handlers);
  const access = registry.access({ modules: ["eth"], unsafe: false });
  expect(registry.access({ unsafe: false, modules: ["eth"], local: false })).toBe(access);
  for (const rules of [
    { modules: ["eth"], unsafe: true },
    { modules: ["net"], unsafe: false },
    { unsafe: false },
  ])
    expect(registry.access(rules)).not.toBe(access);
  registry.mount("net", group, handlers);
  expect([...registry.access({ unsafe: false }).methods.keys()]).toEqual(["eth_answer", "net_answer"]);
  registry.guard(
    () => true,
    () => {
      throw new Error("closed");
    },
  );
  const guarded = registry.access({ modules: ["eth"], unsafe: false }).methods.get("eth_answer");
  expect(() => guarded?.handler({}, {} as never)).toThrow("closed");
});

describe("methods that touch the host", () => {
  const host = {
    open: method({ summary: "Opens.", params: {}, result: string, scope: "host" }),
    profile: method({ summary: "Profiles.", params: {}, result: string, scope: "host", unsafe: true }),
    trace: method({ summary: "Traces.", params: {}, result: string, scope: "chain", unsafe: true }),
  };
  const registry = new Registry().mount("debug", host, {
    open: () => "",
    profile: () => "",
    trace: () => "",
  });
  it.each([
    [{ unsafe: false }, []],
    [{ unsafe: true }, ["trace"]],
    [{ unsafe: false, local: true }, ["open"]],
    [{ unsafe: true, local: true }, ["open", "profile", "trace"]],
    [{ unsafe: false, hostMethods: true }, ["open"]],
    [{ unsafe: true, hostMethods: true }, ["open", "profile", "trace"]],
    [{ unsafe: true, local: true, modules: ["eth"] }, []],
  ])("are served under %o: %j", (rules, names) => {
    const { methods } = registry.access(rules);
    expect([...methods.keys()]).toEqual(names.map((name) => `debug_${name}`));
  });
});
