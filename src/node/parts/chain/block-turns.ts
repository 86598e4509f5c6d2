import { createBlockTurns } from "../../sealing/block-turns.ts";
import { part } from "../part.ts";

/** Schedules block execution on the main thread and in threads of its own. */
export const blockTurns = part({
  name: "blockTurns",
  needs: {},
  start(_, { options }) {
    const offers = createBlockTurns({ sliceMs: options.blockSliceMs, compile: options.evmCompile });
    return { offers, stop: () => offers.stop() };
  },
});
