import { expect, it } from "vitest";
// @ts-expect-error a script without types
import { judgeRegexes } from "../../scripts/regexes.mjs";

const RUN_TIME = "a regular expression made at run time, which cannot be judged";

it.each([
  "new RegExp(variable)",
  "RegExp(variable, 'g')",
  "new RegExp(`^" + "$" + "{variable}`)",
  "new RegExp(OTHER.source + variable)",
  "new globalThis.RegExp(variable)",
  'new globalThis["RegExp"](variable)',
  "const Alias = RegExp; new Alias(variable)",
  "Reflect.construct(RegExp, [variable])",
  "text.match(variable)",
  "text.match(CONSTANT)",
  "text?.matchAll(variable)",
  "text['search'](other.value)",
])("is refused if its pattern is not known: %s", (source) => {
  expect(judgeRegexes(source).unsafe).toEqual([RUN_TIME]);
});

it.each([
  "/(a+)+$/",
  "new RegExp('(a+)+$')",
  "RegExp(`(a+)+$`)",
  "text.match('(a+)+$')",
  "text.match(/(a+)+$/)",
])("is refused if it can be made to backtrack: %s", (source) => {
  expect(judgeRegexes(source)).toEqual({
    seen: 1,
    unsafe: [expect.stringContaining("can be made to backtrack")],
  });
});

it.each([
  "/^a+$/u.test(variable)",
  "new RegExp('^a$', flags)",
  "text.match(/^a$/)",
  "const a: RegExp = /b/; function f(x: readonly RegExp[]): x is RegExp { return x instanceof RegExp }",
  "const { match } = parts; match(variable); parts.matches(variable)",
])("is accepted otherwise: %s", (source) => {
  expect(judgeRegexes(source).unsafe).toEqual([]);
});
