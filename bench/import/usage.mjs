// Preloaded into a measured process: at exit, writes the resource usage of the process, including all threads.
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
