// Fills the committed state tests: expands the cases under `cases/` and lets go-ethereum's `evm` compute the result of every row.
// `--evm PATH` names the program; arguments restrict the run to files whose path contains one of them.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { THEMES } from "./cases/index.ts";
import { type DraftFixture, fixtureOf } from "./fill/expand.ts";
import { fillIn, versionOf, writeFixtures } from "./fill/judge.ts";

const { values, positionals: wanted } = parseArgs({
  options: { evm: { type: "string", default: "" } },
  allowPositionals: true,
});
if (values.evm === "") throw new Error("--evm names go-ethereum's program `evm`");
const target = fileURLToPath(new URL("../../fixtures/state-tests", import.meta.url));

const version = versionOf(values.evm);
const fixtures: Map<string, DraftFixture> = new Map();
for (const { directory, cases } of THEMES) {
  for (const source of cases) {
    const path = `${directory}/${source.name}`;
    if (fixtures.has(path)) throw new Error(`${path} occurs twice`);
    if (wanted.length > 0 && !wanted.some((part) => path.includes(part))) continue;
    const fixture = fixtureOf(source);
    fixtures.set(path, { ...fixture, _info: { ...fixture._info, filledBy: `go-ethereum ${version}` } });
  }
}
const folder = mkdtempSync(join(tmpdir(), "state-tests-"));
try {
  fillIn(fixtures, values.evm, folder);
} finally {
  rmSync(folder, { recursive: true });
}
if (wanted.length === 0) clear();
writeFixtures(fixtures, target);
const rows = [...fixtures.values()].flatMap(({ post }) => Object.values(post).flat()).length;
console.log(`${fixtures.size} files, ${rows} rows, filled by ${version}`);

/** Removes all directories of tests, so that removed cases leave no files. */
function clear(): void {
  for (const entry of readdirSync(target, { withFileTypes: true })) {
    if (entry.isDirectory()) rmSync(join(target, entry.name), { recursive: true });
  }
}
