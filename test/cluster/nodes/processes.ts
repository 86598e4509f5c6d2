// What processes of this machine cost, as Linux tells it in /proc.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** Processor seconds of a process so far, its threads included. */
export function cpuSeconds(pid: number): number {
  return seconds(statOf(pid).slice(11, 13));
}

/** Processor seconds of a process and of all that it has started, whether or not they have ended. */
export function familySeconds(pid: number): number {
  let sum = seconds(statOf(pid).slice(11, 15));
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(Number(name));
      if (Number(fields[1]) === pid) sum += seconds(fields.slice(11, 13));
    } catch {} // it has just ended
  }
  return sum;
}

function seconds(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

/** Bytes of memory that a process alone uses. */
export function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const lines = text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
  return 1_024 * [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
}

/** Most bytes of memory that a process has used at once. */
export function peakBytes(pid: number): number {
  return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Fields of `/proc/PID/stat` after the name, the first being the state. @see proc(5) */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
}
