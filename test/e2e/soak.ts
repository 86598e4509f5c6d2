// `npm run test:soak [-- --minutes 60]`: a node of the built program under steady load, and its memory, handles and responses.
// Prints a line per minute; fails if memory grows by more than 30 MiB per hour after the warm-up.
import { parseArgs } from "node:util";
import { soak } from "./soak/soak.ts";

const MAX_GROWTH = 30;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
let samples = 0;
const figures = await soak(Number(values.minutes) * 60, ({ at, anon, handles }) => {
  if (samples++ % 12 === 0)
    console.log(`${Math.round(at)} s: ${anon.toFixed(1)} MiB of private memory, ${handles} handles`);
});
for (const [name, value] of Object.entries(figures))
  console.log(`${name}: ${value instanceof Map ? JSON.stringify([...value]) : value}`);
process.exitCode = figures.growthPerHour <= MAX_GROWTH && figures.failures.size === 0 ? 0 : 1;
