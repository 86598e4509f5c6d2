import { refused } from "../../api/rpc/engine/errors.ts";
import type { MinerControls } from "../../api/rpc/handlers/node/miner.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import type { SealingService } from "../../network/consensus/solo/sealing-service.ts";
import type { NextRewardbase } from "../departures.ts";

/**
 * Controls the sealing of a node.
 * @param sealing - absent on a validator among several, whose sealing cannot be paused
 * @param nextBlock - on a development chain, holds the reward account, shared with snapshots and `anvil_setCoinbase`
 */
export function createMiner(
  sealing: SealingService | undefined,
  settings: ProposerSettings,
  nextBlock?: NextRewardbase,
): MinerControls {
  const soloSealing = (): SealingService => {
    if (sealing === undefined)
      throw refused("a validator among several cannot pause sealing: stop the node, or have it voted out");
    return sealing;
  };
  return {
    start: () => soloSealing().resume(),
    stop: async () => soloSealing().pause(),
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
      if (nextBlock) nextBlock.set({ rewardbase });
      else settings.rewardbase = rewardbase;
    },
  };
}
