import { DiskHealth } from "../../../ledger/database/disk-health.ts";
import type { ConsensusEngine } from "../../../network/consensus/engine.ts";
import { FollowingEngine } from "../../../network/consensus/following-engine.ts";
import type { ProposerSettings } from "../../../network/consensus/proposer-settings.ts";
import { ChainClock } from "../../../network/consensus/solo/chain-clock.ts";
import type { SoloEngine } from "../../../network/consensus/solo/solo-engine.ts";
import { createSoloEngine, isOnlyValidator } from "../../sealing/sealing.ts";
import { ValidatorLinks } from "../../sealing/validator-links.ts";
import type { EngineParts } from "../../storage/ledger.ts";
import { development } from "../development.ts";
import { instruments } from "../instruments.ts";
import { nodeKey } from "../node-key.ts";
import { part } from "../part.ts";

/** Chooses the engine of the chain, which is created with the ledger, over its header rules, and started with `sealing`. */
export const consensus = part({
  name: "consensus",
  needs: { development, instruments, nodeKey },
  async start({ development, instruments, nodeKey }, { options, runtime, logger }) {
    const settings: ProposerSettings = { rewardbase: options.rewardbase };
    const clock = new ChainClock(runtime.clock);
    const links = new ValidatorLinks();
    const voteHealth = new DiskHealth(runtime.timers);
    const isAmongOthers = nodeKey !== undefined && development === undefined;
    const councils = isAmongOthers ? await loadCouncils() : undefined;
    let solo: SoloEngine | undefined;
    const engineOver = (parts: EngineParts): ConsensusEngine => {
      if (nodeKey === undefined) return new FollowingEngine(parts.rules);
      const own = { nodeKey: nodeKey.key, clock, settings };
      solo = createSoloEngine(options, parts, own, development !== undefined);
      if (councils === undefined) return solo;
      const istanbul = councils.createIstanbulEngine(options, parts, {
        ...own,
        ...{ links, voteHealth },
        watch: instruments.rounds,
      });
      links.engine = istanbul;
      const isSoleValidator = () =>
        isOnlyValidator(parts.validators, parts.tipNumber() + 1n, nodeKey.address);
      return new councils.CouncilEngine({
        ...{ rules: parts.rules, proposer: { address: nodeKey.address, settings } },
        ...{ solo, istanbul, isSoleValidator, logger: logger.child("consensus") },
      });
    };
    return { offers: { engineOver, settings, clock, links, voteHealth, solo: () => solo } };
  },
});

/** What only one of several validators uses. */
async function loadCouncils() {
  const [{ CouncilEngine }, { createIstanbulEngine }] = await Promise.all([
    import("../../../network/consensus/council-engine.ts"),
    import("../../sealing/istanbul.ts"),
  ]);
  return { CouncilEngine, createIstanbulEngine };
}
