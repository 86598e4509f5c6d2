import { describe, expect, it } from "vitest";
import { web3 } from "../../spec/node/web3.ts";
import { JsonText, LongText } from "../../spec/values/json-text.ts";
import { Registry } from "../registry.ts";
import { RpcServer } from "../server.ts";
import { createSession } from "../session.ts";
import { BoundedText } from "./bounded-text.ts";
import { Draft } from "./draft.ts";

const PART = `${"é".repeat(999)},`;
const long = (parts: number) => {
  const text = new BoundedText();
  text.add('"');
  for (let i = 0; i < parts; i++) text.add(PART);
  text.add('"');
  return text.finish();
};

describe("BoundedText", () => {
  it("is one string while short, then pieces with the same text", () => {
    expect(long(3)).toBe(`"${PART.repeat(3)}"`);
    const text = long(300) as LongText;
    expect(text).toBeInstanceOf(LongText);
    expect(text.pieces.length).toBeGreaterThan(3);
    expect(`${text.within("<", ">")}`).toBe(`<"${PART.repeat(300)}">`);
    expect(text.length).toBe(Buffer.byteLength(`"${PART.repeat(300)}"`));
  });

  it("stops at its limit", () => {
    const text = new BoundedText(new Draft(), 10);
    text.add("123456");
    expect(() => text.add("78901")).toThrow("response too large");
  });
});

describe("a long response", () => {
  const clientVersion = () => new JsonText(long(300));
  const sha3 = () => new Uint8Array(32);
  const registry = new Registry().mount("web3", web3, { clientVersion, sha3 } as never);
  const call = '{"jsonrpc":"2.0","id":7,"method":"web3_clientVersion"}';
  const session = createSession(registry.access({ unsafe: true }), new AbortController());

  it("stays in pieces when alone, and is joined with others in a batch", async () => {
    const server = new RpcServer();
    const alone = await server.answer(call, session);
    expect(alone).toBeInstanceOf(LongText);
    const result = `"${PART.repeat(300)}"`;
    expect(JSON.parse(String(alone))).toEqual({ jsonrpc: "2.0", id: 7, result: JSON.parse(result) });
    const batch = JSON.parse(String(await server.answer(`[${call},${call}]`, session))) as unknown[];
    expect(batch).toEqual([JSON.parse(String(alone)), JSON.parse(String(alone))]);
  });

  it("is refused in a batch that it would make too long", async () => {
    const server = new RpcServer(() => {}, { limits: { batchAnswer: 1000 } });
    const batch = String(await server.answer(`[${call},${call}]`, session));
    expect(batch.match(/response too large/g)).toHaveLength(2);
  });
});
