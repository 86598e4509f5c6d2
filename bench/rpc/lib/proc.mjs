// CPU seconds and resident memory of a process and all its descendants (Linux /proc).
import fs from "node:fs";

const HZ = 100;
export function tree(pid) {
  const kids = new Map();
  for (const d of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(d)) continue;
    try {
      const s = fs.readFileSync(`/proc/${d}/stat`, "latin1");
      const f = s.slice(s.lastIndexOf(")") + 2).split(" ");
      const pp = +f[1];
      if (!kids.has(pp)) kids.set(pp, []);
      kids.get(pp).push(+d);
    } catch {}
  }
  const out = [pid];
  for (let i = 0; i < out.length; i++) out.push(...(kids.get(out[i]) || []));
  return out;
}
export function usage(pid) {
  let cpu = 0,
    rss = 0;
  for (const p of tree(pid))
    try {
      const s = fs.readFileSync(`/proc/${p}/stat`, "latin1");
      const f = s.slice(s.lastIndexOf(")") + 2).split(" ");
      cpu += (+f[11] + +f[12]) / HZ;
      rss += +f[21] * 4096;
    } catch {}
  return { cpu, rssMiB: +(rss / 1048576).toFixed(1) };
}
export const load1 = () => +fs.readFileSync("/proc/loadavg", "latin1").split(" ")[0];
// busy share of all cores since the last call, so that a run can report other load
let last = null;
export function busy() {
  const f = fs.readFileSync("/proc/stat", "latin1").split("\n")[0].trim().split(/\s+/).slice(1).map(Number);
  const tot = f.reduce((a, b) => a + b, 0),
    idle = f[3] + f[4];
  const r = last ? 1 - (idle - last.idle) / (tot - last.tot) : null;
  last = { tot, idle };
  return r;
}
