// Attacks nodes row by row of docs/security.md, and prints the results.
// `npm run test:hostile [-- IDS] [--long] [--again]`: only these rows; also the slow ones; a row that fails is retried once, and
// the lines say so, since some depend on timing.
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

/** Maximum time of a row; the slow ones take up to an hour. */
const TIME_LIMIT_MS = 10 * 60_000;
const LONG_TIME_LIMIT_MS = 2 * 3600_000;

const counts = { held: 0, failed: 0, skipped: 0, again: 0 };
for (const { id, promise, isLong, run: attack } of rows) {
  const run = () => inTime(attack(), isLong ? LONG_TIME_LIMIT_MS : TIME_LIMIT_MS);
  const began = performance.now();
  const line = (outcome: string) =>
    `${id.padEnd(5)} ${outcome} (${Math.round(performance.now() - began)} ms)`;
  try {
    const reached = await run().catch((error) => {
      if (!values.again || error instanceof Skipped) throw error;
      counts.again++;
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
const again = counts.again > 0 ? `, ${counts.again} of these tried twice` : "";
console.log(`hostile: ${counts.held} hold, ${counts.failed} do not, ${counts.skipped} skipped${again}`);
process.exit(counts.failed === 0 ? 0 : 1);

/** @throws Error once the time is over; the row is then left to itself, until the process exits */
function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limitMs / 60_000} min`)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
