// Resource usage of processes, from Linux's /proc.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** CPU seconds of a process so far, including its threads. */
export function cpuSeconds(pid: number): number {
  return seconds(statOf(pid).slice(11, 13));
}

/** CPU seconds of a process and of all its descendants, including those that have exited. */
export function familySeconds(pid: number): number {
  let sum = seconds(statOf(pid).slice(11, 15));
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(Number(name));
      if (Number(fields[1]) === pid) sum += seconds(fields.slice(11, 13));
    } catch {} // it has just exited
  }
  return sum;
}

function seconds(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

/** Private memory of a process in bytes. */
export function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const lines = text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
  return 1_024 * [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
}

/** Peak memory of a process in bytes. */
export function peakBytes(pid: number): number {
  return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Fields of `/proc/PID/stat` after the name, the first being the state. @see proc(5) */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
}
