import { BlockPreviews } from "../../../network/consensus/solo/block-previews.ts";
import { createMiner } from "../../sealing/miner.ts";
import {
  checkBlsKey,
  createProducer,
  isOnlyValidator,
  seatObstacle,
  warnNotSealing,
} from "../../sealing/sealing.ts";
import { development } from "../development.ts";
import { nodeKey } from "../node-key.ts";
import { part } from "../part.ts";
import { blobs } from "./blobs.ts";
import { blockTurns } from "./block-turns.ts";
import { cluster } from "./cluster.ts";
import { consensus } from "./consensus.ts";
import { gasless } from "./gasless.ts";
import { ledger } from "./ledger.ts";
import { pool } from "./pool.ts";

/**
 * Seals blocks, alone or with the other validators, if this node's key is in the council, and previews the next block on any
 * node with a key. A consensus node outside the council follows until it is added.
 */
export const sealing = part({
  name: "sealing",
  needs: { blobs, blockTurns, cluster, consensus, development, gasless, ledger, nodeKey, pool },
  async start(
    { blobs, blockTurns, cluster, consensus, development, gasless, ledger, nodeKey, pool },
    { options, runtime },
  ) {
    const { chain, engine, extensions } = ledger;
    const { clock, settings } = consensus;
    const obstacle = cluster?.isFollower ? undefined : seatObstacle(ledger, nodeKey?.key);
    if (obstacle !== undefined) warnNotSealing(options, obstacle);
    const isSeated = cluster?.isFollower !== true && obstacle === undefined;
    const author = nodeKey?.address;
    const next = chain.tip.header.number + 1n;
    const isAlone = isSeated && author !== undefined && isOnlyValidator(extensions.validators, next, author);
    const type = options.peers?.nodeType ?? (isSeated ? "cn" : "en");
    const participates = isAlone || (type === "cn" && nodeKey !== undefined && development === undefined);
    if (participates && isSeated && !isAlone && nodeKey !== undefined) await checkBlsKey(ledger, nodeKey);
    const service = isAlone ? consensus.solo()?.sealing : undefined;
    const timeLimitMs = development?.blockTimeLimitMs;
    const producer =
      author && createProducer(options, { ledger, pool, settings, gasless, author, blobs, timeLimitMs });
    const pending =
      producer &&
      new BlockPreviews(
        { producer, author, settings, clock, runtime, chain, engine, pool },
        development?.previews,
      );
    const begin = () => producer && engine.start(producer);
    if (participates && cluster) cluster.whenWriter(begin);
    else if (participates) begin();
    // A block being executed is abandoned; by then the engine knows that it is stopping.
    const stop = async () => void (await Promise.all([engine.stop(), blockTurns.stop()]));
    const miner = participates ? createMiner(service, settings, development?.nextBlock) : undefined;
    return { offers: { service, miner, pending, stop, type }, stop };
  },
});
