// Preloaded into a measured process: at its end, writes what the whole process, all threads together, has used.
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.KAIRN_BENCH_USAGE;
if (isMainThread && file) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
    writeFileSync(file, JSON.stringify({ cpuSeconds, peakMiB: maxRSS / 1024 }));
  });
}
