// `npm test [-- files]`: installs and builds what is missing, then runs the tests (with files: only those).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, root, runBin } from "./lib.mjs";

ensureInstalled();
ensureBuilt();
const files = process.argv.slice(2);
runBin("vitest", ["run", ...files]);
if (files.length === 0) {
  for (const suite of ["vectors", "chains"]) {
    const file = join(root, "test", "suites", `${suite}.ts`);
    if (existsSync(file)) runBin("tsx", [file]);
  }
}
