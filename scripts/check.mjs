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

/** The import rules would pass if no module was seen, so the number of modules is checked too. */
function checkImports() {
  const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const { stdout, status } = spawnSync(process.execPath, [cruiser, "src"], { cwd: root, encoding: "utf8" });
  process.stdout.write(stdout);
  const modules = Number(/\(([0-9]+) modules/.exec(stdout)?.[1] ?? 0);
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  if (status !== 0 || modules < sources.length) {
    console.error(`import rules failed (${modules} modules seen, at least ${sources.length} expected)`);
    process.exit(1);
  }
}

function runScript(name) {
  run(process.execPath, [join(root, "scripts", name)]);
}

function checkLocks() {
  const problems = lockProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
