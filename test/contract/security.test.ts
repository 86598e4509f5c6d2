import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rooms } from "../suites/hostile/rooms.ts";

const rows = rooms.flat();
const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");

/** Ids in the first column of the tables, except those in brackets, which other commands check; a star marks the long ones. */
function documented(): { readonly id: string; readonly isLong: boolean }[] {
  return [...page.matchAll(/^\| ([A-Z]+\d+[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    cell.split(", ").map((id) => ({ id: id.replace("*", ""), isLong: id.endsWith("*") })),
  );
}

test("rows of the hostile suite have unique ids", () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

test("docs/security.md lists the rows of the hostile suite, the long ones with a star", () => {
  const listed = documented().map(({ id, isLong }) => `${id}${isLong ? "*" : ""}`);
  expect(listed.sort()).toEqual(rows.map(({ id, isLong }) => `${id}${isLong === true ? "*" : ""}`).sort());
});

test("docs/security.md names no two promises alike", () => {
  const cells = [...page.matchAll(/^\| \(?([A-Z]+\d+[a-z]*\*?(?:, [A-Z]+\d+[a-z]*\*?)*)\)? \|/gm)];
  const ids = cells.flatMap(([, cell = ""]) => cell.replaceAll("*", "").split(", "));
  expect(ids.length).toBeGreaterThan(150);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});
