// `node scripts/code-cache.mjs PROGRAM`: keeps the compiled code of the built program beside it, for bin/program.js to load.
// V8 keeps the functions that have run, so a development node is started, asked once and stopped here: what a start needs is
// then compiled already.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { codeCacheOf, loadProgram } = createRequire(import.meta.url)("../bin/program.js");

const file = process.argv[2];
const { script, run } = loadProgram(file);
const banner = nextLine(process.stdout);
process.env = {}; // settings of whoever builds, such as RPC_ENABLE=0, are not for this node
process.argv.splice(
  2,
  Infinity,
  "dev",
  "--ephemeral",
  "--rpcport",
  "0",
  "--wsport",
  "0",
  "--json",
  "--quiet",
);
run();
const { endpoints } = JSON.parse(await banner);
await fetch(endpoints.http, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
});
writeFileSync(codeCacheOf(file), script.createCachedData());
process.kill(process.pid, "SIGINT");

/** What is written next to a stream, which does not reach it. */
function nextLine(stream) {
  const { write } = stream;
  return new Promise((resolve) => {
    stream.write = (line) => {
      stream.write = write;
      resolve(String(line));
      return true;
    };
  });
}
