// `npm run test:NAME [-- arguments]`: runs a suite, after installing, compiling and building what it needs.
import { basename, dirname } from "node:path";
import { setup as compileInterpreter } from "./build-evm.mjs";
import { ensureBuilt, ensureInstalled, runBin } from "./lib.mjs";

/** Suites that need the built program; the others run from source. */
const OF_PROGRAM = new Set(["fuzz-rpc.ts", "golden.ts", "hostile.ts", "kill.ts", "run.ts", "soak.ts"]);

const [file, ...args] = process.argv.slice(2);
// nodes under test do not accept connections from other machines
process.env.P2P_ADDR ??= "127.0.0.1";
ensureInstalled();
if (dirname(file) === "test/e2e") ensureInstalled("test/e2e");
if (OF_PROGRAM.has(basename(file))) ensureBuilt();
// some suites also run a node in process, which needs it
await compileInterpreter();
runBin("tsx", [file, ...args]);
