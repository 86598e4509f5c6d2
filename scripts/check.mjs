// `npm run check`: lock files, format, lint, types (Node and browser), import directions, docstrings, safe regular expressions,
// insecure random numbers, unused code, generated reference, links.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root, run, runBin } from "./lib.mjs";
import { lockProblems } from "./lock-files.mjs";

checkLocks();
ensureInstalled();
ensureInstalled("test/e2e");
runBin("@biomejs/biome", ["check", "."]);
runBin("tsc", ["--noEmit", "-p", "."]);
runBin("tsc", ["--noEmit", "-p", "tsconfig.browser.json"]);
checkImports();
runScript("check-docs.mjs");
runScript("check-regexes.mjs");
runBin("tsx", ["test/suites/hostile.ts", "K10"]);
runBin("knip", ["--no-progress"]);
runBin("tsx", ["scripts/docs/docs.ts", "--check"]);
runBin("tsx", ["scripts/docs/check-links.ts"]);

/** The import rules would pass if no module was seen, so every source file has to be among the modules. */
function checkImports() {
  const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 29 };
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [cruiser, "src", "--output-type", "json"],
    options,
  );
  if (status !== 0) throw new Error(`the import rules could not be checked: ${stderr}`);
  const { modules, summary } = JSON.parse(stdout);
  const seen = new Set(modules.map(({ source }) => source));
  const sources = readdirSync(join(root, "src"), { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `src/${name.replaceAll("\\", "/")}`);
  const unseen = sources.filter((source) => !seen.has(source));
  // One wrong import may close thousands of circles: what is not one comes first.
  const violations = summary.violations.toSorted((a, b) => isCircle(a) - isCircle(b));
  for (const { rule, from, to } of violations.slice(0, 50)) console.error(`${rule.name}: ${from} → ${to}`);
  for (const source of unseen) console.error(`not seen by the import rules: ${source}`);
  console.log(`${sources.length} modules, ${violations.length} imports against the rules`);
  if (violations.length + unseen.length > 0) process.exit(1);
}

function isCircle({ rule }) {
  return Number(rule.name === "no-circular");
}

function runScript(name) {
  run(process.execPath, [join(root, "scripts", name)]);
}

function checkLocks() {
  const problems = lockProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
