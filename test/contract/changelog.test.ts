import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the changelog has no entry twice, and no rest of one, as a merge may leave behind", () => {
  const page = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const entries = [...page.matchAll(/^- .+(?:\n {2}.+)*/gm)].map(([text]) => text.replace(/\s+/g, " "));
  expect(entries.length).toBeGreaterThan(300);
  const beginnings = entries.map((text) => text.slice(0, 60));
  expect(beginnings.filter((text, i) => beginnings.indexOf(text) !== i)).toEqual([]);
  expect(entries.filter((text) => !/[.:!?)]$/.test(text))).toEqual([]);
});
