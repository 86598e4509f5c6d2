// `npm test [-- files]`: installs and builds what is missing, then runs the tests (with files: only those).
import { ensureBuilt, ensureInstalled, runBin } from "./lib.mjs";

const files = process.argv.slice(2);
ensureInstalled();
ensureInstalled("test/e2e");
ensureBuilt();
runBin("vitest", ["run", ...files]);
if (files.length === 0) {
  for (const suite of ["vectors", "chains"]) runBin("tsx", [`test/suites/${suite}.ts`]);
}
