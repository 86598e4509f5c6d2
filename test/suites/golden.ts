// Replays recorded exchanges of reference nodes against this node and prints every difference. Each file gets a fresh node, started
// according to its profile and with the flags in `KAIRN_GOLDEN_FLAGS`. `KAIRN_GOLDEN` names another folder with the same layout,
// `KAIRN_GOLDEN_JOBS` the number of concurrent nodes; arguments restrict the run to files whose path contains one of them,
// `--passing` to those of `npm test`. Fails if a case differs that is not a known difference.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Recording } from "./golden/format.ts";
import { knownDifferences } from "./golden/known-differences.ts";
import { startNode } from "./golden/node-process.ts";
import { passing } from "./golden/passing.ts";
import { replay } from "./golden/replay.ts";

const folder = process.env["KAIRN_GOLDEN"] ?? fileURLToPath(new URL("../fixtures/golden", import.meta.url));
const jobs = Number(process.env["KAIRN_GOLDEN_JOBS"] ?? 4);
const wanted = process.argv.slice(2).flatMap((part) => (part === "--passing" ? passing : [part]));
const total = { passed: 0, known: 0, failed: 0 };

const cases = join(folder, "cases");
const waiting = (existsSync(cases) ? readdirSync(cases) : [])
  .sort()
  .flatMap((reference) => readdirSync(join(cases, reference)).map((name) => `${reference}/${name}`))
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
  .map((path) => ({ path, text: readFileSync(join(cases, path), "utf8") }))
  // The longest first, to balance the load.
  .sort((a, b) => b.text.length - a.text.length);

await Promise.all(Array.from({ length: jobs }, work));
if (total.known > 0) console.log(`${total.known} known differences`);
console.log(`${total.passed} passed, ${total.failed} failed`);
// A folder without cases proves nothing.
process.exit(total.failed === 0 && total.passed + total.known > 0 ? 0 : 1);

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    await runFile(next.path, JSON.parse(next.text) as Recording);
}

async function runFile(path: string, recording: Recording): Promise<void> {
  const started = performance.now();
  const count = { passed: 0, known: 0, failed: 0 };
  const known = knownDifferences[path] ?? [];
  try {
    await replayFresh(path, recording, (name, differences) => {
      if (differences.length === 0) count.passed++;
      else if (known.includes(name)) count.known++;
      else count.failed++;
      const mark = known.includes(name) ? "known" : "FAILED";
      for (const difference of differences) console.log(`${mark} ${path} | ${name} | ${difference}`);
    });
  } catch (error) {
    const unseen = recording.cases.length - count.passed - count.known - count.failed;
    count.failed += unseen;
    const reason = error instanceof Error ? error.message : error;
    console.log(`FAILED ${path} | ${unseen} cases not reached | ${reason}`);
  }
  for (const key of ["passed", "known", "failed"] as const) total[key] += count[key];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${path}: ${count.passed} passed, ${count.known} known, ${count.failed} failed (${seconds} s)`);
}

/** Replays a recording on a fresh node. */
async function replayFresh(
  path: string,
  recording: Recording,
  report: Parameters<typeof replay>[2],
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-golden-"));
  try {
    const reference = path.slice(0, path.indexOf("/"));
    const node = await startNode({ folder, reference, profile: recording.profile, dataDir });
    try {
      await replay(recording, node, report);
    } finally {
      await node.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
