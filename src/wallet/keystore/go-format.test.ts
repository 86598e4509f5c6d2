import { expect, it } from "vitest";
import { parseJson } from "../../protocol/codec/json/parse.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import { formatGo } from "./go-format.ts";

it.each([
  ['"text"', "text"],
  ["null", "%!s(<nil>)"],
  ["true", "%!s(bool=true)"],
  ["3", "%!s(float64=3)"],
  ["1e21", "%!s(float64=1e+21)"],
  ["1e-7", "%!s(float64=1e-07)"],
  ["-2.5e-9", "%!s(float64=-2.5e-09)"],
  ["[1, []]", "[%!s(float64=1) []]"],
  ['{"b": 1, "a": {"c": null}}', "map[a:map[c:%!s(<nil>)] b:%!s(float64=1)]"],
])("writes %j as Go does: %j", (text, expected) => {
  expect(formatGo((parseJson(text) as { value: Json }).value)).toBe(expected);
});
