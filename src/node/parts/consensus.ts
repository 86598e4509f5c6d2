import type { ConsensusEngine } from "../../network/consensus/engine.ts";
import { createFollower } from "../../network/consensus/follower.ts";
import { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { ProposerSettings } from "../../network/consensus/solo/proposer-settings.ts";
import type { SoloEngine } from "../../network/consensus/solo/solo-engine.ts";
import { createSoloEngine } from "../sealing/sealing.ts";
import type { EngineParts } from "../storage/ledger.ts";
import { development } from "./development.ts";
import { nodeKey } from "./node-key.ts";
import { part } from "./part.ts";

/** Chooses the engine of the chain; it is made with the ledger, over the rules of its headers, and started with `sealing`. */
export const consensus = part({
  name: "consensus",
  needs: { development, nodeKey },
  start(given, { options, runtime }) {
    const settings: ProposerSettings = { rewardbase: options.rewardbase };
    const clock = new ChainClock(runtime.clock);
    let solo: SoloEngine | undefined;
    const engineOver = (parts: EngineParts): ConsensusEngine => {
      if (given.nodeKey === undefined) return createFollower(parts.rules);
      const own = { nodeKey: given.nodeKey.key, clock, settings };
      solo = createSoloEngine(options, parts, own, given.development !== undefined);
      return solo;
    };
    return { offers: { engineOver, settings, clock, solo: () => solo } };
  },
});
