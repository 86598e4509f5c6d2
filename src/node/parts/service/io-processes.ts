import { IoProcesses } from "../../../platform/sockets/io-processes.ts";
import { workerScript } from "../../workers/worker-thread.ts";
import { part } from "../part.ts";

/** Processes that read and write the sockets of clients, if wanted. None when run from source, where no program of theirs was built. */
export const ioProcesses = part({
  name: "ioProcesses",
  needs: {},
  async start(_, { options, logger }) {
    const script = workerScript("io-process.js");
    const { ioProcesses: count = 0 } = options;
    if (count === 0 || script === undefined) return { offers: undefined };
    const log = logger.child("io");
    const offers = new IoProcesses({
      ...{ script, count },
      onFault: (error) => log.error("an I/O process is replaced", { error }),
    });
    await offers.ready();
    return { offers, stop: () => offers.close() };
  },
});
