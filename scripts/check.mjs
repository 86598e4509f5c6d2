// `npm run check`: format, lint, types (Node and browser), import directions, unused code, generated reference.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root, runBin } from "./lib.mjs";

ensureInstalled();
ensureInstalled("test/e2e");
runBin("@biomejs/biome", ["check", "."]);
runBin("tsc", ["--noEmit", "-p", "."]);
runBin("tsc", ["--noEmit", "-p", "tsconfig.browser.json"]);
checkImports();
runBin("knip", ["--no-progress"]);
runBin("tsx", ["scripts/docs.ts", "--check"]);

/** The import rule can pass while seeing nothing, so the number of modules it saw is asserted too. */
function checkImports() {
  const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const { stdout, status } = spawnSync(process.execPath, [cruiser, "src"], { cwd: root, encoding: "utf8" });
  process.stdout.write(stdout);
  const modules = Number(/\(([0-9]+) modules/.exec(stdout)?.[1] ?? 0);
  if (status !== 0 || modules < 100) {
    console.error(`import rules failed (${modules} modules seen)`);
    process.exit(1);
  }
}
