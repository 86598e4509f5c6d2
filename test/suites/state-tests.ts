// Runs state tests under Ethereum's rules: our own under test/fixtures/state-tests, filled by go-ethereum, or with
// `--data FOLDER` (or `KAIRN_STATE_TESTS`) the published ones (github.com/ethereum/tests, folder GeneralStateTests).
// `--sample` takes a few files of each directory, `--table` prints Markdown; arguments restrict the run to files whose path
// contains one of them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { EthereumFork } from "../../src/ledger/evm/tables/ethereum-rules.ts";
import { fixtureFiles, readFixtures, sampleOf } from "./state-tests/files.ts";
import { Report } from "./state-tests/report.ts";
import { differenceOf } from "./state-tests/run-row.ts";

const OWN_TESTS = fileURLToPath(new URL("../fixtures/state-tests", import.meta.url));

const { values, positionals: wanted } = parseArgs({
  options: {
    data: { type: "string", default: process.env["KAIRN_STATE_TESTS"] ?? OWN_TESTS },
    sample: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const folder = values.data;

const started = performance.now();
const report = new Report();
const all = fixtureFiles(folder);
const paths = (values.sample ? sampleOf(folder, all) : all).filter(
  (path) => wanted.length === 0 || wanted.some((part) => path.includes(part)),
);
for (const path of paths) runFile(path);
const { passed, failed } = report.total;
if (values.table) console.log(report.table());
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${paths.length} files in ${seconds} s: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function runFile(path: string): void {
  const tally = report.of(path.split("/")[0] as string);
  tally.files++;
  for (const [name, fixture] of readFixtures(join(folder, path))) {
    for (const [fork, rows] of Object.entries(fixture.post)) {
      for (const [number, row] of rows.entries()) {
        const difference = attempt(() => differenceOf(fixture, fork as EthereumFork, row));
        if (difference === undefined) tally.passed++;
        else {
          tally.failed++;
          console.log(`FAILED ${path} ${name.split("::").at(-1)} ${fork} ${number}: ${difference}`);
        }
      }
    }
  }
}

/** The result of `run`, or where the code threw. */
function attempt(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? String(error.stack) : String(error);
  }
}
