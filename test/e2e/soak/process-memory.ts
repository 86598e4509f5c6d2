import { readdirSync, readFileSync } from "node:fs";

/** Resources of a process at a moment. */
export interface Sample {
  /** Seconds since the first sample. */
  readonly at: number;
  /** Private memory, not backed by files, in MiB. */
  readonly anon: number;
  /** Open files, sockets and pipes. */
  readonly handles: number;
}

/** Reads /proc of a process. */
export function sampleOf(pid: number, began: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const anon = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  return {
    at: (performance.now() - began) / 1000,
    anon,
    handles: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Growth of memory in MiB per hour: the slope of a least-squares fit. */
export function growthPerHour(samples: readonly Sample[]): number {
  const n = samples.length;
  const meanAt = samples.reduce((sum, { at }) => sum + at, 0) / n;
  const meanAnon = samples.reduce((sum, { anon }) => sum + anon, 0) / n;
  let [above, below] = [0, 0];
  for (const { at, anon } of samples) {
    above += (at - meanAt) * (anon - meanAnon);
    below += (at - meanAt) ** 2;
  }
  return below === 0 ? 0 : (above / below) * 3600;
}
