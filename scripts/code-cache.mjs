// `node scripts/code-cache.mjs PROGRAM`: writes the V8 code cache of the built program, which bin/program.js loads.
// V8 caches the functions that have run, so a development node is started on a temporary folder, called once and stopped: the code
// of a start is then already compiled.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { codeCacheOf, loadProgram } = createRequire(import.meta.url)("../bin/program.js");

const file = process.argv[2];
const { script, run } = loadProgram(file);
const banner = firstWrite(process.stdout);
const folder = mkdtempSync(join(tmpdir(), "kairn-build-"));
const config = join(folder, "config.json");
process.env = {}; // environment variables such as RPC_ENABLE=0 must not affect this node
process.argv.splice(
  2,
  Infinity,
  ...["dev", "--datadir", join(folder, "data"), "--config-out", config],
  ...["--rpcport", "0", "--wsport", "0"],
);
run();
await banner;
const { endpoints } = JSON.parse(readFileSync(config, "utf8"));
await fetch(endpoints.http, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
});
writeFileSync(codeCacheOf(file), script.createCachedData());
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
process.kill(process.pid, "SIGINT");

/** Resolves on the first write to a stream; all output is discarded. */
function firstWrite(stream) {
  return new Promise((resolve) => {
    stream.write = () => {
      resolve();
      return true;
    };
  });
}
