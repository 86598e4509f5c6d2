// Attacks nodes row by row of docs/security.md, and prints the results.
// `npm run test:hostile [-- IDS] [--long] [--again]`: only these rows; also the slow ones; a row that fails is retried once, and
// the line says so, since some depend on timing.
import { parseArgs } from "node:util";
import { rooms } from "./hostile/rooms.ts";
import { type HostileRow, Skipped } from "./hostile/row.ts";

const { values, positionals } = parseArgs({
  options: { long: { type: "boolean", default: false }, again: { type: "boolean", default: false } },
  allowPositionals: true,
});
const all: readonly HostileRow[] = rooms.flat();
const asked = new Set(positionals);
for (const id of asked) if (!all.some((row) => row.id === id)) throw new Error(`no row ${id}`);
const rows = all.filter((row) => (asked.size > 0 ? asked.has(row.id) : values.long || row.isLong !== true));

const counts = { held: 0, failed: 0, skipped: 0 };
for (const { id, promise, run } of rows) {
  const began = performance.now();
  const line = (outcome: string) =>
    `${id.padEnd(5)} ${outcome} (${Math.round(performance.now() - began)} ms)`;
  try {
    const reached = await run().catch((error) => {
      if (!values.again || error instanceof Skipped) throw error;
      console.log(line(`failed at first: ${(error as Error).message}`));
      return run();
    });
    counts.held++;
    console.log(line(`${promise}: ${reached}`));
  } catch (error) {
    if (error instanceof Skipped) {
      counts.skipped++;
      console.log(line(`SKIPPED ${promise}: ${error.message}`));
    } else {
      counts.failed++;
      console.log(line(`FAILED ${promise}: ${(error as Error).stack}`));
    }
  }
}
console.log(`hostile: ${counts.held} hold, ${counts.failed} do not, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);
