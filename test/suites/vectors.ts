// Runs the published vectors against the code. `KAIRN_VECTORS` names another folder with the same layout; arguments
// restrict the run to files whose path contains one of them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { CHECKS } from "./vectors/index.ts";

const folder = process.env["KAIRN_VECTORS"] ?? fileURLToPath(new URL("../fixtures/vectors", import.meta.url));
const wanted = process.argv.slice(2);

let passed = 0;
let failed = 0;

for (const [path, check] of Object.entries(CHECKS)) {
  if (wanted.length > 0 && !wanted.some((part) => path.includes(part))) continue;
  await runFile(path, check);
}
console.log(`${passed} passed, ${failed} failed`);
// A folder without a single case proves nothing.
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function runFile(path: string, check: (typeof CHECKS)[string]): Promise<void> {
  const text = textOf(join(folder, path));
  if (text === undefined) {
    console.log(`${path}: not in this folder`);
    return;
  }
  const before = { passed, failed };
  for (const { name, run } of check(JSON.parse(text))) {
    try {
      await run();
      passed++;
    } catch (error) {
      failed++;
      console.log(`FAILED ${path} ${name}: ${reasonOf(error)}`);
    }
  }
  console.log(`${path}: ${passed - before.passed} passed, ${failed - before.failed} failed`);
}

/** Text of a file that may be packed; undefined where it is missing. */
function textOf(file: string): string | undefined {
  if (existsSync(file)) return readFileSync(file, "utf8");
  return existsSync(`${file}.gz`) ? gunzipSync(readFileSync(`${file}.gz`)).toString() : undefined;
}

/** The difference that a check found, or where the code threw. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.constructor === Error ? error.message : String(error.stack);
}
