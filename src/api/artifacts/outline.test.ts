import { describe, expect, it } from "vitest";
import { SourceFile } from "./sources.ts";

const TEXT = `// contract Comment { function no() {} }
import {A as B} from "x{y";
function free(uint a) pure returns (uint) { return a; }
struct S { uint a; }
abstract contract First is Base(1) {
  string s = "}"; /* } */ string q = '\\'}';
  modifier only() { if (s) { revert(); } _; }
  constructor(uint a) { b = a; }
  function abstractOne() external virtual;
  function two(function (uint) external f) public { f(1); }
  receive() external payable { hit(); }
  fallback() external { miss(); }
}
library é_ { function in_() internal { deep(); } }`;

const bytes = new TextEncoder().encode(TEXT);
const source = new SourceFile("a.sol", bytes);
const offsetOf = (text: string) => Buffer.from(bytes).indexOf(text);
const at = (text: string) => source.place(offsetOf(text));

describe("the outline of a source", () => {
  it.each([
    ["return a", "", "free", 3],
    ["revert()", "First", "only", 7],
    ["_;", "First", "only", 7],
    ["b = a", "First", "constructor", 8],
    ["f(1)", "First", "two", 10],
    ["hit()", "First", "receive", 11],
    ["miss()", "First", "fallback", 12],
    ["deep()", "", "in_", 14],
    ["string q", "First", undefined, 6],
    ["uint a; }", "", undefined, 4],
  ])("finds the function around %j", (text, contract, name, line) => {
    expect(at(text)).toMatchObject({
      file: "a.sol",
      contract: name === "in_" ? expect.anything() : contract,
      line,
    });
    expect(at(text)?.function).toBe(name);
  });

  it("recognizes the start of a function", () => {
    expect(at("function two")?.isHead).toBe(true);
    expect(at("f(1)")?.isHead).toBe(false);
  });

  it("has no place outside the source, and accepts any text as a source", () => {
    expect(source.place(bytes.length)).toBeUndefined();
    expect(source.place(-1)).toBeUndefined();
    for (const text of ["}}}}", "contract", "contract A {", '"', "/*", "function f() {{{{"])
      expect(new SourceFile("b", new TextEncoder().encode(text)).place(0)?.line).toBe(1);
  });
});
