// `npm test [-- files]`: installs and builds what is missing, then runs the tests (with files: only those).
import { ensureBuilt, ensureInstalled, runBin, runBinsInParallel } from "./lib.mjs";

const files = process.argv.slice(2);
// nodes under test do not accept connections from other machines
process.env.P2P_ADDR ??= "127.0.0.1";

ensureInstalled();
ensureInstalled("test/e2e");
ensureBuilt();
runBin("vitest", ["run", ...files]);
if (files.length === 0) {
  // CPU-bound suites, the longest first
  await runBinsInParallel([
    suite("vectors"),
    suite("golden", "--passing"),
    suite("simulation"),
    suite("chains"),
    suite("fuzz", "--programs", "3000"),
    suite("fuzz-rpc", "--inputs", "1000"),
    ...["off", "always"].map((mode) => ({
      ...suite("state-tests", "--data", "test/fixtures/state-tests"),
      env: { EVM_COMPILE: mode },
    })),
    // Ethereum's state tests are not included; docs/evm-conformance.md says where to get them
    ...(process.env.KAIRN_STATE_TESTS ? [suite("state-tests", "--sample")] : []),
  ]);
  // timing-sensitive suites run alone
  runBin("tsx", ["test/suites/subscribers.ts", "--clients", "100", "--blocks", "20"]);
  runBin("tsx", ["test/network/run.ts", "--short"]);
}

function suite(name, ...options) {
  return { name: "tsx", args: [`test/suites/${name}.ts`, ...options] };
}
