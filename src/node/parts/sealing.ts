import { BlockPreviews } from "../../network/consensus/solo/block-previews.ts";
import { createMiner } from "../sealing/miner.ts";
import { createProducer, isSealer } from "../sealing/sealing.ts";
import { blockTurns } from "./block-turns.ts";
import { consensus } from "./consensus.ts";
import { development } from "./development.ts";
import { gasless } from "./gasless.ts";
import { ledger } from "./ledger.ts";
import { nodeKey } from "./node-key.ts";
import { part } from "./part.ts";
import { pool } from "./pool.ts";

/** Makes blocks where this node is the one that does, and shows anybody with a key what the next one would be. */
export const sealing = part({
  name: "sealing",
  needs: { blockTurns, consensus, development, gasless, ledger, nodeKey, pool },
  start({ blockTurns, consensus, development, gasless, ledger, nodeKey, pool }, { options, runtime }) {
    const { chain, engine } = ledger;
    const { clock, settings } = consensus;
    const service = isSealer(options, ledger, nodeKey?.key) ? consensus.solo()?.sealing : undefined;
    const author = nodeKey?.address;
    const timeLimitMs = development?.blockTimeLimitMs;
    const producer =
      author && createProducer(options, { ledger, pool, settings, gasless, author, timeLimitMs });
    const pending =
      producer &&
      new BlockPreviews(
        { producer, author, settings, clock, runtime, chain, engine, pool },
        development?.previews,
      );
    if (service && producer) engine.start(producer);
    // A block that is being executed is given up; the engine knows that it stops by then.
    const stop = async () => void (await Promise.all([engine.stop(), blockTurns.stop()]));
    const miner = service && createMiner(service, settings, development?.nextBlock);
    return { offers: { service, miner, pending, stop }, stop };
  },
});
