import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../testing/kairn.ts";
import { withoutSecrets, writeCrashFile } from "./crash-file.ts";

it("records what happened, where and in which version, for the owner only", () => {
  const folder = join(newFolder(), "new");
  const path = writeCrashFile(folder, "uncaught exception", new TypeError("odd"));
  expect(path).toMatch(/\/crash-\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z\.txt$/);
  expect([folder, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
  const [first, second, third, empty, stack, ...rest] = readFileSync(path, "utf8").split("\n");
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT\S+Z uncaught exception$/);
  expect(second).toBe(
    `${second?.split(",")[0]}, node ${process.version}, ${process.platform} ${process.arch}`,
  );
  expect(third).toMatch(/^up \d+ s, [1-9]\d* MiB heap, [1-9]\d* MiB resident$/);
  expect(Number(/, (\d+) MiB resident/.exec(third ?? "")?.[1])).toBeLessThan(1 << 20);
  expect([empty, stack]).toEqual(["", "TypeError: odd"]);
  expect(rest.at(-1)).toBe("");
});

it("records only the type of a value that is not an error, and truncates the stack", () => {
  const folder = newFolder();
  expect(readFileSync(writeCrashFile(folder, "x", "a secret"), "utf8")).toMatch(/\n\nstring\n$/);
  const error = Object.assign(new Error(), { stack: "at ".repeat(10_000) });
  const file = readFileSync(writeCrashFile(newFolder(), "x", error), "utf8");
  expect(file.slice(file.indexOf("\n\n") + 2)).toHaveLength(16_384 + 1);
});

it("keeps the ten newest, and nothing else of the folder is touched", () => {
  const folder = newFolder();
  const old = Array.from({ length: 12 }, (_, i) => `crash-2020-01-${10 + i}T00-00-00.000Z.txt`);
  for (const name of [...old, "crash-notes.md"]) writeFileSync(join(folder, name), "");
  const path = writeCrashFile(folder, "x", new Error("y"));
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual(
    [...old.slice(-9), "crash-notes.md"]
      .map((name) => join(folder, name))
      .concat(path)
      .sort(),
  );
});

it.each([
  [`0x${"ab".repeat(20)}`, "…"],
  [`0x${"ab".repeat(19)}`, `0x${"ab".repeat(19)}`],
  ["AB".repeat(32), "…"],
  ["A-_+".repeat(11), "…"],
  ["A-_+".repeat(10), "A-_+".repeat(10)],
  ['of "my pass phrase" here', "of … here"],
  ["at run (file.ts:1:2)", "at run (file.ts:1:2)"],
])("redacts %s as %s", (text, kept) => {
  expect(withoutSecrets(`Error: ${text}`)).toBe(`Error: ${kept}`);
});
