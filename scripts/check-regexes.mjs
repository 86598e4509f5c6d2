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

/** Files whose flagged patterns are accepted, and why no input can do harm. */
const ACCEPTED = new Map([
  ["src/api/console/terminal/compile.ts", "input of the console's user"],
  ["src/api/console/sandbox/complete.ts", "input of the console's user"],
  ["src/api/console/terminal/history.ts", "input of the console's user"],
  ["src/api/console/terminal/interactive.ts", "input of the console's user"],
  ["src/api/console/terminal/source.ts", "input of the console's user"],
  ["src/api/console/methods/units.ts", "input of the console's user"],
  ["src/api/rpc/handlers/debug/process/memory.ts", "a number of this process"],
  ["src/cli/service/crash-file.ts", "a stack of up to 16 KiB, once, when the process ends"],
  ["src/platform/config/types.ts", "a flag of the operator"],
  ["src/protocol/params/config-json.ts", "the operator's genesis"],
  [
    "src/protocol/codec/json/parse.ts",
    "linear: each alternative starts with a character that its loops cannot match",
  ],
  ["src/wallet/keystore/key-folder.ts", "a file name of up to 255 bytes"],
]);

let seen = 0;
const faults = [];
for (const path of filesOf(join(root, "src"))) {
  const name = relative(root, path);
  const options = { syntax: "typescript", tsx: path.endsWith("x"), target: "es2022" };
  for (const { pattern, flags } of regexesOf(parseFileSync(path, options))) {
    seen++;
    if (!isSafe(pattern, flags) && !ACCEPTED.has(name))
      faults.push(`${name}: /${pattern}/${flags} can be made to backtrack; scan by index instead`);
  }
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
