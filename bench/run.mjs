// `npm run bench [-- --rounds N] [--phases startup,reads,ws,submit,evm,contracts,keystore,growth] [--only kairn,anvil] [--quick]
//   [--kcn PATH]`
// Starts kairn and every installed peer, measures them in turn round by round, and prints a table of medians: rounds/
// `--kcn` names a binary of the Go node v2.2.1, which is then one of them.
// `npm run bench -- --compare BASE [--rows PARTS] [--pairs N] [--starts N]` measures this checkout beside another (a commit, or a
//   built folder), and anvil if installed, in short windows by turns; exits with 1 if a row fell: pairs/
// `npm run bench -- import [--rounds N] [CHAIN...]` measures the import of recorded chains, see import/import.mjs.
// `npm run bench -- tracing [--kcn PATH] [--loops N] [--only TRACER]` measures traced calls beside the Go node, see tracing.mjs.
// `npm run bench -- explorer [--blocks N]` measures look-ups while a chain grows, see explorer.mjs.
// `npm run bench -- storage [--blocks N]` measures the disk and memory use of a chain, see storage.mts.
// `npm run bench -- activity [--rounds N]` measures the cost of the terminal of `kairn dev`, see activity.mjs.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled, root } from "../scripts/lib.mjs";
import { benchActivity } from "./activity.mjs";
import { benchImport } from "./import/import.mjs";
import { compareWith } from "./pairs/report.mjs";
import { benchRounds } from "./rounds/report.mjs";
import { benchTracing } from "./tracing.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    blocks: { type: "string", default: "100000" },
    phases: { type: "string", default: "startup,reads,ws,submit,evm" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    kcn: { type: "string" },
    loops: { type: "string", default: "2000" },
    compare: { type: "string" },
    rows: { type: "string" },
    pairs: { type: "string", default: "12" },
    starts: { type: "string", default: "6" },
  },
});
const rounds = Number(options.rounds);
const kcn = options.kcn && resolve(options.kcn);

/** The benches, by the first word of the command line. Each returns the exit code; undefined = 0. */
const BENCHES = {
  rounds: () =>
    benchRounds({
      rounds,
      kcn,
      quick: options.quick,
      phases: options.phases.split(","),
      only: options.only?.split(","),
    }),
  pairs: () =>
    compareWith(options.compare, {
      rows: options.rows?.split(","),
      pairs: Number(options.pairs),
      starts: Number(options.starts),
    }),
  import: () => benchImport(positionals.slice(1), rounds),
  tracing: () => benchTracing(kcn, { rounds, loops: Number(options.loops), only: options.only }),
  explorer: () => script("explorer.mjs"),
  storage: () => script("storage.mts", "--import", "tsx"),
  activity: () => benchActivity(rounds),
};

const name = positionals[0] ?? (options.compare === undefined ? "rounds" : "pairs");
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`bench: there is no ${name}; one of ${Object.keys(BENCHES).join(", ")}`);
  process.exit(2);
}
ensureInstalled();
ensureBuilt();
process.exit((await bench()) ?? 0);

/** A bench that is a separate program. */
function script(file, ...flags) {
  const args = [...flags, join(root, "bench", file), "--blocks", options.blocks];
  return spawnSync(process.execPath, args, { stdio: "inherit", cwd: root }).status ?? 1;
}
