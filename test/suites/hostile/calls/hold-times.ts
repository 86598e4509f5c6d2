import type { Times, TimesBeside } from "../reads/rpc.ts";
import { hold } from "../row.ts";

/** Slices that a small call may wait for, and milliseconds for a busy machine. */
const SLICES = 2;
const GRACE = { median: 5, p99: 20 };

/**
 * Checks the times of a small call during an attack: at the median by the clock, compared with those of the idle node and of the machine.
 * @param p99 - how the 99th percentile is judged: likewise, or by the maximum CPU time in milliseconds that the main thread may use
 *   meanwhile, which holds on a busy machine too
 * @returns the figures
 */
export function holdTimes(
  {
    idle,
    beside,
    p99,
  }: {
    readonly idle: TimesBeside;
    readonly beside: TimesBeside;
    readonly p99: "clock" | { readonly maxHeldMs: number };
  },
  what: string,
): string {
  const figures =
    `median and p99 ${shown(beside.asked)} beside ${what}, the main thread held for ${shown(beside.held)}; idle ` +
    `${shown(idle.asked)}; 5 ms of processor time took ${shown(beside.spun)}`;
  const parts = p99 === "clock" ? (["median", "p99"] as const) : (["median"] as const);
  for (const part of parts)
    hold(beside.asked[part] <= idle.asked[part] + SLICES * beside.spun[part] + GRACE[part], figures);
  if (p99 !== "clock") hold(beside.held.p99 <= p99.maxHeldMs, figures);
  return figures;
}

function shown({ median, p99 }: Times): string {
  return `${median} and ${p99} ms`;
}
