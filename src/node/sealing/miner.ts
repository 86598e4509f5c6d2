import type { MinerControls } from "../../api/rpc/handlers/node/miner.ts";
import type { ProposerSettings } from "../../network/consensus/solo/proposer-settings.ts";
import type { SealingService } from "../../network/consensus/solo/sealing-service.ts";
import type { NextRewardbase } from "../departures.ts";

/**
 * Control over the blocks that a node makes.
 * @param nextBlock - where a development chain keeps the reward account, so that snapshots and `anvil_setCoinbase` share it
 */
export function createMiner(
  sealing: SealingService,
  settings: ProposerSettings,
  nextBlock?: NextRewardbase,
): MinerControls {
  return {
    start: () => sealing.resume(),
    stop: () => sealing.pause(),
    setExtra(vanity) {
      settings.vanity = vanity;
    },
    setGasPrice(price) {
      settings.lowestGasPrice = price;
      sealing.wake();
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
