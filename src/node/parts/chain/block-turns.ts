import { createBlockTurns } from "../../sealing/block-turns.ts";
import { part } from "../part.ts";

/** How blocks share the main thread, and their own threads. */
export const blockTurns = part({
  name: "blockTurns",
  needs: {},
  start(_, { options }) {
    const offers = createBlockTurns({ sliceMs: options.blockSliceMs, compile: options.evmCompile });
    return { offers, stop: () => offers.stop() };
  },
});
