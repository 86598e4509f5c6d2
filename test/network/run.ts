// Scenarios of several node processes: kairn in every role, and mixed with the reference's programs if KAIA_BIN names their folder.
// `npm run test:network [-- SCENES] [--short] [--cast N]`: only these scenes (letters); the first cast of each scene of the short set;
// only the Nth cast.
import { parseArgs } from "node:util";
import { goFolder } from "./node.ts";
import type { Cast, Scene } from "./scene.ts";
import { SCENES } from "./scenes/index.ts";
import { Stage } from "./stage.ts";

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean", default: false }, cast: { type: "string" } },
  allowPositionals: true,
});
const ids = new Set(positionals);
for (const id of ids) if (!SCENES.some((scene) => scene.id === id)) throw new Error(`no scene ${id}`);
const scenes = SCENES.filter(({ id, isShort }) => (ids.size > 0 ? ids.has(id) : !values.short || isShort));

const only = values.cast ?? (values.short ? "1" : undefined);

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const scene of scenes) {
  for (const [i, cast] of scene.casts.entries())
    if (only === undefined || only === String(i + 1)) await play(scene, cast);
}
if (counts.passed + counts.failed + counts.skipped === 0) throw new Error(`no cast ${only}`);
console.log(`network: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);

async function play(scene: Scene, cast: Cast): Promise<void> {
  const parts = Object.entries(cast).map(([part, kind]) => `${part} ${kind}`);
  const line = (outcome: string) =>
    console.log(`${scene.id} ${scene.title} (${parts.join(", ")}): ${outcome}`);
  if (goFolder === undefined && Object.values(cast).some((kind) => kind !== "kairn")) {
    counts.skipped++;
    line("skipped: no Go node");
    return;
  }
  const began = performance.now();
  const stage = new Stage(scene.genesisFile);
  try {
    const reached = await scene.play(stage, cast);
    counts.passed++;
    line(`${reached} [${((performance.now() - began) / 1_000).toFixed(0)} s]`);
  } catch (error) {
    counts.failed++;
    line(`FAILED: ${(error as Error).stack}\n${stage.logs()}`);
  } finally {
    await stage.close().catch((error) => console.error(error));
  }
}
