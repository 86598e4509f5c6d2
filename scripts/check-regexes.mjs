// Part of `npm run check`: no regular expression of src/ may backtrack without bound. Some of them match what strangers
// send, and a nested quantifier, or two that can match the same characters, could stop the node.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFileSync } from "@swc/core";
import { isSafePattern } from "redos-detector";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Maximum number of ways to match one prefix of a text; a number that grows with the text exceeds any limit. */
const MAX_SCORE = 60;

/** Files whose flagged patterns are accepted, and why no text can do harm. */
const KEPT = new Map([
  ["src/api/console/terminal/compile.ts", "what the console's user types"],
  ["src/api/console/sandbox/complete.ts", "what the console's user types"],
  ["src/api/console/terminal/history.ts", "what the console's user types"],
  ["src/api/console/terminal/interactive.ts", "what the console's user types"],
  ["src/api/console/terminal/source.ts", "what the console's user types"],
  ["src/api/console/methods/units.ts", "what the console's user types"],
  ["src/api/rpc/handlers/debug/process/memory.ts", "a number of this process"],
  ["src/cli/service/crash-file.ts", "a stack of 16 KiB at most, once, when the process ends"],
  ["src/platform/config/types.ts", "a flag of the operator"],
  ["src/protocol/params/config-json.ts", "the operator's genesis"],
  [
    "src/protocol/codec/json/parse.ts",
    "linear: each alternative begins with a mark that its loops cannot pass",
  ],
  ["src/wallet/keystore/key-folder.ts", "a file name, 255 bytes at most"],
]);

let seen = 0;
const faults = [];
for (const path of filesOf(join(root, "src"))) {
  const name = relative(root, path);
  const options = { syntax: "typescript", tsx: path.endsWith("x"), target: "es2022" };
  for (const { pattern, flags } of regexesOf(parseFileSync(path, options))) {
    seen++;
    if (!isSafe(pattern, flags) && !KEPT.has(name))
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
