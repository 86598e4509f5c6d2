import { join, resolve } from "node:path";
import { createInstruments } from "../instruments/create-instruments.ts";
import type { NodeOptions } from "../node-options.ts";
import { part } from "./part.ts";

/** The metrics of the process; other parts add their own. */
export const instruments = part({
  name: "instruments",
  needs: {},
  start(_, { options, runtime }) {
    const offers = createInstruments(runtime, options.logLevels, dumpDirOf(options));
    return { offers, stop: () => offers.stop() };
  },
});

function dumpDirOf({ dumpDir, dataDir }: NodeOptions): string | undefined {
  return dumpDir ?? (dataDir === undefined ? undefined : join(resolve(dataDir), "dumps"));
}
