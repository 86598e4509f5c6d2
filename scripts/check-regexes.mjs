// Part of `npm run check`: no regular expression of src/ may backtrack without bound. Some match untrusted input, and a nested
// quantifier, or two that can match the same characters, could hang the node. Those made at run time cannot be judged, and are refused.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeRegexes } from "./regexes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Files of which some patterns are accepted: how many, and why no input can do harm. One more has to be judged anew. */
const ACCEPTED = new Map([
  ["src/api/console/terminal/compile.ts", [1, "input of the console's user"]],
  ["src/api/console/sandbox/complete.ts", [1, "input of the console's user"]],
  ["src/api/console/terminal/history.ts", [2, "input of the console's user"]],
  ["src/api/console/terminal/interactive.ts", [1, "input of the console's user"]],
  ["src/api/console/terminal/source.ts", [6, "input of the console's user"]],
  ["src/api/dashboard/screens/search.tsx", [1, "the node's method of that name, of no text"]],
  ["src/api/rpc/handlers/logs/log-collector.ts", [1, "the log index's method of that name, of no text"]],
  ["src/api/console/methods/units.ts", [3, "input of the console's user"]],
  ["src/api/rpc/handlers/debug/process/memory.ts", [1, "a number of this process"]],
  ["src/cli/service/crash-file.ts", [3, "a stack of up to 16 KiB, once, when the process ends"]],
  ["src/platform/config/types.ts", [2, "a flag of the operator"]],
  [
    "src/protocol/codec/json/parse.ts",
    [1, "linear: each alternative starts with a character that its loops cannot match"],
  ],
  ["src/wallet/keystore/key-folder.ts", [1, "a file name of up to 255 bytes"]],
]);

let seen = 0;
const faults = [];
for (const path of filesOf(join(root, "src"))) {
  const name = relative(root, path);
  const judged = judgeRegexes(readFileSync(path, "utf8"), { tsx: path.endsWith("x") });
  seen += judged.seen;
  const [accepted = 0] = ACCEPTED.get(name) ?? [];
  if (judged.unsafe.length > accepted) faults.push(...judged.unsafe.map((fault) => `${name}: ${fault}`));
  if (judged.unsafe.length < accepted)
    faults.push(`${name}: ${accepted} unsafe patterns are accepted, but there are ${judged.unsafe.length}`);
}
for (const fault of faults) console.error(fault);
if (seen < 50) console.error(`only ${seen} regular expressions seen`);
console.log(`${seen} regular expressions, ${faults.length} unsafe`);
process.exit(faults.length > 0 || seen < 50 ? 1 : 0);

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(({ name }) => /\.tsx?$/.test(name) && !/\.(test|test-d|bench)\.ts$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes("/wasm/")); // AssemblyScript
}
