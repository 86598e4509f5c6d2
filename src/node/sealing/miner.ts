import { refused } from "../../api/rpc/engine/errors.ts";
import type { MinerControls } from "../../api/rpc/handlers/node/miner.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import type { SealingService } from "../../network/consensus/solo/sealing-service.ts";
import type { NextRewardbase } from "../departures.ts";

/**
 * Control over the blocks that a node makes.
 * @param sealing - absent on a validator among several, which takes its turn as long as it has a seat
 * @param nextBlock - where a development chain keeps the reward account, so that snapshots and `anvil_setCoinbase` share it
 */
export function createMiner(
  sealing: SealingService | undefined,
  settings: ProposerSettings,
  nextBlock?: NextRewardbase,
): MinerControls {
  const alone = (): SealingService => {
    if (sealing === undefined)
      throw refused("a validator among several makes no pauses: end the node, or have it voted out");
    return sealing;
  };
  return {
    start: () => alone().resume(),
    stop: async () => alone().pause(),
    setExtra(vanity) {
      settings.vanity = vanity;
    },
    setGasPrice(price) {
      settings.lowestGasPrice = price;
      sealing?.wake();
    },
    get rewardbase() {
      return nextBlock?.setting.rewardbase ?? settings.rewardbase;
    },
    setRewardbase(rewardbase) {
      if (nextBlock) nextBlock.ask({ rewardbase });
      else settings.rewardbase = rewardbase;
    },
  };
}
