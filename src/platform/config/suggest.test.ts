import { expect, it } from "vitest";
import { didYouMean, suggest } from "./suggest.ts";

it.each([
  ["rpcprt", "rpcport"],
  ["rpcpoortt", "rpcport"],
  ["rcpot", "rpcport"],
  ["rbcpert", "rpcport"],
  ["rpcport", "rpcport"],
  ["wsprt", "wsport"],
  ["maxconections", "maxconnections"],
  // four of fourteen letters
  ["mbbbbnnections", "maxconnections"],
])("for %s, %s is suggested", (word, wanted) => {
  expect(suggest(word, ["datadir", "wsport", "rpcport", "maxconnections"])).toBe(wanted);
});

it("suggests nothing for more than two edits, or a third of a long word", () => {
  for (const word of ["rxxport1", "rbcpexq", "rpcpoabc", "rpcp"])
    expect([word, suggest(word, ["rpcport"])]).toEqual([word, undefined]);
  expect(suggest("bbbbbnnections", ["maxconnections"])).toBeUndefined();
  expect(suggest("", ["abc"])).toBeUndefined();
  expect(suggest("", ["ab"])).toBe("ab");
});

it("suggests the first of the nearest words", () => {
  expect(suggest("abc", ["abcxy", "abd", "abe"])).toBe("abd");
});

it("compares no word of more than 100 letters", () => {
  const known = "x".repeat(100);
  expect(suggest(known, [known])).toBe(known);
  expect(suggest(`${known}x`, [known])).toBeUndefined();
});

it("adds a suggestion to a message only if there is one", () => {
  expect(didYouMean("rpcprt", ["rpcport"], "--")).toBe(" (did you mean --rpcport?)");
  expect(didYouMean("zzzzzz", ["rpcport"], "--")).toBe("");
});
