// Damages messages of peers and decodes them: handshakes, hellos, frames, messages, discovery packets, votes.
// `npx tsx test/suites/damage.ts [--times 1000000]`: the number of times per kind.
import { parseArgs } from "node:util";
import { damageAll } from "./hostile/peers/damage.ts";

const MEBIBYTE = 2 ** 20;

const { values } = parseArgs({ options: { times: { type: "string", default: "1000000" } } });
const times = Number(values.times);
const { read, taken } = damageAll(times, (name, takenOfKind) => {
  const { user, system } = process.cpuUsage();
  const mebibytes = Math.round(process.memoryUsage().rss / MEBIBYTE);
  const seconds = Math.round((user + system) / 1e6);
  console.log(
    `${name}: ${times} damaged, ${takenOfKind} of them accepted; ${seconds} CPU s so far, ${mebibytes} MiB`,
  );
});
console.log(`${read} damaged, ${taken} accepted, the others rejected with a typed error`);
