// `npm test [-- files]`: installs and builds what is missing, then runs the tests (with files: only those).
import { ensureBuilt, ensureInstalled, runBin } from "./lib.mjs";

const files = process.argv.slice(2);
// nodes under test let no other machine connect
process.env.P2P_ADDR ??= "127.0.0.1";

ensureInstalled();
ensureInstalled("test/e2e");
ensureBuilt();
runBin("vitest", ["run", ...files]);
if (files.length === 0) {
  for (const suite of ["vectors", "chains"]) runBin("tsx", [`test/suites/${suite}.ts`]);
  runBin("tsx", ["test/suites/simulation.ts"]);
  runBin("tsx", ["test/suites/fuzz.ts", "--programs", "3000"]);
  runBin("tsx", ["test/suites/golden.ts", "--passing"]);
  runBin("tsx", ["test/suites/fuzz-rpc.ts", "--inputs", "1000"]);
  runBin("tsx", ["test/suites/subscribers.ts", "--clients", "100", "--blocks", "20"]);
  runBin("tsx", ["test/network/run.ts", "--short"]);
  for (const mode of ["off", "always"]) {
    process.env.EVM_COMPILE = mode;
    runBin("tsx", ["test/suites/state-tests.ts", "--data", "test/fixtures/state-tests"]);
  }
  // Ethereum's state tests are not ours to ship; docs/evm-conformance.md says where they are
  if (process.env.KAIRN_STATE_TESTS) runBin("tsx", ["test/suites/state-tests.ts", "--sample"]);
}
