// Part of `npm run check`: no regular expression of src/ may backtrack without bound. Some match untrusted input, and a nested
// quantifier, or two that can match the same characters, could hang the node.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFileSync } from "@swc/core";
import { isSafePattern } from "redos-detector";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Maximum number of ways to match one prefix of a text; a number that grows with the text exceeds it eventually. */
const MAX_SCORE = 60;

/** Files of which some patterns are accepted: how many, and why no input can do harm. One more has to be judged anew. */
const ACCEPTED = new Map([
  ["src/api/console/terminal/compile.ts", [1, "input of the console's user"]],
  ["src/api/console/sandbox/complete.ts", [1, "input of the console's user"]],
  ["src/api/console/terminal/history.ts", [2, "input of the console's user"]],
  ["src/api/console/terminal/interactive.ts", [1, "input of the console's user"]],
  ["src/api/console/terminal/source.ts", [3, "input of the console's user"]],
  ["src/api/console/methods/units.ts", [3, "input of the console's user"]],
  ["src/api/rpc/handlers/debug/process/memory.ts", [1, "a number of this process"]],
  ["src/cli/service/crash-file.ts", [3, "a stack of up to 16 KiB, once, when the process ends"]],
  ["src/platform/config/types.ts", [2, "a flag of the operator"]],
  ["src/protocol/params/config-json.ts", [1, "the operator's genesis"]],
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
  const options = { syntax: "typescript", tsx: path.endsWith("x"), target: "es2022" };
  const unsafe = [];
  for (const { pattern, flags } of regexesOf(parseFileSync(path, options))) {
    seen++;
    if (!isSafe(pattern, flags))
      unsafe.push(`${name}: /${pattern}/${flags} can be made to backtrack; scan by index instead`);
  }
  const [accepted = 0] = ACCEPTED.get(name) ?? [];
  if (unsafe.length > accepted) faults.push(...unsafe);
  if (unsafe.length < accepted)
    faults.push(`${name}: ${accepted} unsafe patterns are accepted, but there are ${unsafe.length}`);
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

/** Regular expression literals, and literals passed to `new RegExp`. */
function* regexesOf(node) {
  if (node === null || typeof node !== "object") return;
  if (node.type === "RegExpLiteral") yield { pattern: node.pattern, flags: node.flags };
  if ((node.type === "NewExpression" || node.type === "CallExpression") && node.callee?.value === "RegExp") {
    const [pattern, flags] = (node.arguments ?? []).map(({ expression }) => expression);
    if (pattern?.type === "StringLiteral") yield { pattern: pattern.value, flags: flags?.value ?? "" };
  }
  for (const value of Array.isArray(node) ? node : Object.values(node)) yield* regexesOf(value);
}

function isSafe(pattern, flags) {
  const has = (flag) => flags.includes(flag);
  const { safe } = isSafePattern(pattern, {
    ...{ caseInsensitive: has("i"), unicode: has("u"), multiLine: has("m"), dotAll: has("s") },
    ...{ maxScore: MAX_SCORE, maxSteps: 20_000, downgradePattern: true },
  });
  return safe;
}
