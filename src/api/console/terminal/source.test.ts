import { describe, expect, it } from "vitest";
import { isGetter } from "../methods/catalogue.ts";
import { compile, syntaxErrorOf } from "./compile.ts";
import { dropGetterParentheses, isIncomplete } from "./source.ts";

function isOpen(source: string): boolean {
  const error = syntaxErrorOf(source);
  return error !== undefined && isIncomplete(source, error);
}

describe("a statement", () => {
  it.each([
    "1+",
    "f(1,",
    "[1, 2",
    "{ a: 1,",
    "if (x) {",
    "`text",
    "eth.getBalance(\n",
    "function f() {\n return 1",
  ])("continues after %j", (source) => expect(isOpen(source)).toBe(true));

  it.each(["1 + 1", "'(", "f(1 2)", "nosuch name", ")", '"{"', "// (", "{ a: 1 }"])(
    "is complete with %j, valid or not",
    (source) => expect(isOpen(source)).toBe(false),
  );
});

describe("interpretations", () => {
  it("treat braces as an object if that compiles, and as a block otherwise", () => {
    expect(compile("{ a: 1, b: 2 }").runInThisContext()).toEqual({ a: 1, b: 2 });
    expect(compile("{ 1; 2 }").runInThisContext()).toBe(2);
  });

  it("support top-level await and keep declarations", async () => {
    expect(await compile("await Promise.resolve(4)").runInThisContext()).toBe(4);
    await compile("var awaitedHere = await Promise.resolve(5)").runInThisContext();
    expect((globalThis as { awaitedHere?: number }).awaitedHere).toBe(5);
  });

  it("report the error of the text as typed", () => {
    expect(() => compile("await (")).toThrow("Unexpected");
    expect(() => compile("var 1x = await y")).toThrow("Invalid or unexpected token");
  });
});

describe("parentheses after a value", () => {
  it("are dropped in code only", () => {
    const drop = (source: string) => dropGetterParentheses(source, isGetter);
    expect(drop("eth.blockNumber() + klay.blockNumber ( )")).toBe("eth.blockNumber + klay.blockNumber");
    expect(drop("'eth.blockNumber()' // eth.blockNumber()")).toBe("'eth.blockNumber()' // eth.blockNumber()");
    expect(drop("net.peerCountByType()")).toBe("net.peerCountByType()");
  });
});
