// Replays recorded exchanges of reference nodes against this node and prints every difference. Each file gets a fresh
// node, started as its profile says. `KAIRN_GOLDEN` names another folder with the same layout; arguments restrict the
// run to files whose path contains one of them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Recording } from "./golden/format.ts";
import { startNode } from "./golden/node-process.ts";
import { replay } from "./golden/replay.ts";

const folder = process.env["KAIRN_GOLDEN"] ?? fileURLToPath(new URL("../fixtures/golden", import.meta.url));
const wanted = process.argv.slice(2);

let passed = 0;
let failed = 0;

for (const reference of readdirSync(join(folder, "cases")).sort()) {
  for (const name of readdirSync(join(folder, "cases", reference)).sort()) {
    const path = `${reference}/${name}`;
    if (wanted.length === 0 || wanted.some((part) => path.includes(part))) await runFile(reference, path);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runFile(reference: string, path: string): Promise<void> {
  const recording = JSON.parse(readFileSync(join(folder, "cases", path), "utf8")) as Recording;
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-golden-"));
  const before = { passed, failed };
  try {
    const node = await startNode({ folder, reference, profile: recording.profile, dataDir });
    try {
      await replay(recording, node, (name, differences) => {
        if (differences.length === 0) passed++;
        else failed++;
        for (const difference of differences) console.log(`FAILED ${path} | ${name} | ${difference}`);
      });
    } finally {
      await node.stop();
    }
  } catch (error) {
    const unseen = recording.cases.length - (passed - before.passed) - (failed - before.failed);
    failed += unseen;
    console.log(
      `FAILED ${path} | ${unseen} cases not reached | ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  console.log(`${path}: ${passed - before.passed} passed, ${failed - before.failed} failed`);
}
