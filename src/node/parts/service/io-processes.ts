import { workerScript } from "../../workers/worker-thread.ts";
import { part } from "../part.ts";

/** Processes that read and write clients' sockets; undefined if none are wanted, or if run from source, where their program is not built. */
export const ioProcesses = part({
  name: "ioProcesses",
  needs: {},
  async start(_, { options, logger }) {
    const { ioProcesses: count = 0 } = options;
    if (count === 0) return { offers: undefined };
    const log = logger.child("io");
    const script = workerScript("io-process.js");
    if (script === undefined) {
      log.warn("no I/O processes: the program is not built");
      return { offers: undefined };
    }
    const { IoProcesses } = await import("../../../platform/sockets/io-processes.ts");
    const offers = new IoProcesses({
      ...{ script, count },
      onFault: (error) => log.error("an I/O process is replaced", { error }),
    });
    await offers.ready();
    return { offers, stop: () => offers.close() };
  },
});
