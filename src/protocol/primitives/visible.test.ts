import { expect, it } from "vitest";
import { visible, visibleJson, visibleLine } from "./visible.ts";

it.each([
  ["escape sequences", "\u001b[2J", "\\u001b[2J"],
  ["the clipboard", "\u001b]52;c;eA==\u0007", "\\u001b]52;c;eA==\\u0007"],
  ["C1 controls", "\u009b31m\u009d\u0090", "\\u009b31m\\u009d\\u0090"],
  ["returns, backspaces and deletes", "a\rb\bc\u007f", "a\\u000db\\u0008c\\u007f"],
  ["bidirectional controls", "\u202eexe\u2066\u200f", "\\u202eexe\\u2066\\u200f"],
  ["what has no width", "\u200b\ufeff\u00ad\u2060", "\\u200b\\ufeff\\u00ad\\u2060"],
  ["tags and private letters", "\u{e0041}\ue000", "\\u{e0041}\\ue000"],
  ["half characters", "\ud800x\udfff", "\\ud800x\\udfff"],
  ["other ends of lines", "a\u2028b\u2029c\u0085", "a\\u2028b\\u2029c\\u0085"],
])("shows %s", (_what, text, shown) => expect(visible(text)).toBe(shown));

it("leaves letters of every script unchanged", () => {
  const text = "안녕 שלום мир 😀\n\tkaia";
  expect(visible(text)).toBe(text);
  expect(visibleLine("a\n\tb")).toBe("a\\u000a\\u0009b");
});

it("keeps JSON equivalent", () => {
  const value = { "a\u009b": "\u{e0041}\u202e\u001b[2J\n😀\ud800" };
  const json = visibleJson(JSON.stringify(value));
  expect(json).toBe('{"a\\u009b":"\\udb40\\udc41\\u202e\\u001b[2J\\n😀\\ud800"}');
  expect(JSON.parse(json)).toEqual(value);
});
