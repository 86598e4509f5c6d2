import { readdirSync, readFileSync } from "node:fs";

/** Process ids of a process's children, of those only whose command line contains a text if it is given. Linux only. */
export function childrenOf(parent: number, command = ""): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return parentOf(pid) === parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(command);
      } catch {
        return false; // ended meanwhile, or no process
      }
    });
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(") ")).split(" ")[2]);
}
