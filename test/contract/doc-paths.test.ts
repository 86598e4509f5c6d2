import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const list = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.includes("node_modules"))
    .map((path) => `/${folder}/${path}`);
const files = ["src", "test", "scripts", "bench", "bin", "examples", "ops"].flatMap(list);
const pages = [...list("docs").filter((path) => path.endsWith(".md")), "/CONTRIBUTING.md"];
/** Files of our own: sources with a folder in front, and tests, but not those of other projects. */
const NAMED = /`([\w./-]+\/[\w.-]+\.(?:ts|tsx|mts|mjs|sql)|[\w.-]+\.test\.ts)`/g;

test("documents name only source files and tests that exist", () => {
  const named = pages.flatMap((page) =>
    [...readFileSync(root + page.slice(1), "utf8").matchAll(NAMED)].map(([, path]) => `${page}: ${path}`),
  );
  expect(named.length).toBeGreaterThan(150);
  const exists = (path: string) => files.some((file) => file.endsWith(`/${path}`));
  expect(named.filter((line) => !exists(line.slice(line.indexOf(": ") + 2)))).toEqual([]);
});
