// `npm run test:NAME [-- arguments]`: runs a suite, after installing, compiling and building what it needs.
import { basename, dirname } from "node:path";
import { setup as compileInterpreter } from "./build-evm.mjs";
import { ensureBuilt, ensureInstalled, runBin } from "./lib.mjs";

/** Suites that call, attack or kill the built program; the others run from source. */
const OF_PROGRAM = new Set(["fuzz-rpc.ts", "golden.ts", "hostile.ts", "kill.ts", "run.ts", "soak.ts"]);

const [file, ...args] = process.argv.slice(2);
// nodes under test let no other machine connect
process.env.P2P_ADDR ??= "127.0.0.1";
ensureInstalled();
if (dirname(file) === "test/e2e") ensureInstalled("test/e2e");
if (OF_PROGRAM.has(basename(file))) ensureBuilt();
// the rows that run a node within the suite need it beside the built one
await compileInterpreter();
runBin("tsx", [file, ...args]);
