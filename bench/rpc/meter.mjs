// Measures what work costs the node, the client and the machine.
import { busy, usage } from "./lib/proc.mjs";

/**
 * @param pid - of the node; without it its CPU time is unknown
 * @returns a function that runs work and returns its result with `wall`, `serverCpu` and `clientCpu` in seconds, `rssMiB` and the
 *   share of all cores that was busy
 */
export function meterOf(pid) {
  return async (work) => {
    busy();
    const serverBefore = pid && usage(pid);
    const clientBefore = process.cpuUsage();
    const startedMs = performance.now();
    const done = await work();
    const seconds = (performance.now() - startedMs) / 1000;
    const client = process.cpuUsage(clientBefore);
    const server = pid && usage(pid);
    return {
      ...done,
      wall: +seconds.toFixed(3),
      serverCpu: server && +(server.cpu - serverBefore.cpu).toFixed(2),
      clientCpu: +((client.user + client.system) / 1e6).toFixed(2),
      rssMiB: server?.rssMiB,
      machineBusy: +(busy() ?? 0).toFixed(2),
    };
  };
}

/** Rate per CPU second of the node; unknown if no CPU time was counted. */
export const perCpu = (count, serverCpu) => (serverCpu ? Math.round(count / serverCpu) : undefined);
