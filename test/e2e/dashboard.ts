// `npm run test:dashboard [-- words]`: the dashboard in a real browser, over a chain with transactions of every type. Arguments
// restrict the run to checks whose names contain one of them; `--screenshots FOLDER` saves one of each screen, `--measure`
// prints size, first paint, frame times and memory. Without Chromium it prints that and passes; KAIRN_CHROMIUM names the browser.
import { parseArgs } from "node:util";
import { setup as buildPage } from "../../scripts/build-dashboard.mjs";
import { openBrowser } from "./dashboard/browser.ts";
import { checks } from "./dashboard/checks.ts";
import { keyChecks } from "./dashboard/key-checks.ts";
import { measure } from "./dashboard/measure.ts";
import { returnChecks } from "./dashboard/return-checks.ts";
import { keepScreenshots } from "./dashboard/screenshots.ts";
import { startDevNode, startSeededNode } from "./dashboard/seeded-node.ts";
import { streamChecks } from "./dashboard/stream-checks.ts";
import { textChecks } from "./dashboard/text-checks.ts";

const { values, positionals } = parseArgs({
  options: { screenshots: { type: "string" }, measure: { type: "boolean" } },
  allowPositionals: true,
});
const browser = await openBrowser();
if (browser === undefined) {
  console.log("no Chromium on this machine: the dashboard was not tested");
} else {
  await buildPage();
  const node = await startSeededNode();
  const dev = await startDevNode();
  let [passed, failed] = [0, 0];
  for (const [name, check] of Object.entries({
    ...checks,
    ...keyChecks,
    ...streamChecks,
    ...returnChecks,
    ...textChecks,
  })) {
    if (positionals.length > 0 && !positionals.some((word) => name.includes(word))) continue;
    try {
      await check({ browser, node, dev });
      passed++;
      console.log(`✓ ${name}`);
    } catch (error) {
      failed++;
      console.error(`✕ ${name}\n`, error);
    }
  }
  if (values.screenshots !== undefined) await keepScreenshots({ browser, node, dev }, values.screenshots);
  if (values.measure) await measure({ browser, node, dev });
  await browser.close();
  await Promise.all([node.stop(), dev.stop()]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
