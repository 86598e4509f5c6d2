import type { SupplyHistory } from "../../../../ledger/extensions/supply/supply-history.ts";
import { chainConsensusHandlers, ethMiningHandlers, istanbulHandlers } from "./chain-consensus.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";
import { ethConfigHandlers } from "./eth-config.ts";
import { governanceHandlers } from "./governance.ts";
import { supplyHandlers } from "./supply.ts";

/** What the methods of consensus and governance read. */
export interface ConsensusGroupDeps extends ConsensusDeps {
  readonly supply: SupplyHistory;
}

/** Handlers of validators, rewards, supply and governance. */
export function consensusGroups(deps: ConsensusGroupDeps) {
  return {
    chainConsensus: chainConsensusHandlers(deps),
    supply: supplyHandlers(deps),
    ethMining: ethMiningHandlers(deps),
    ethConfig: ethConfigHandlers(deps.chain),
    governance: governanceHandlers(deps),
    istanbul: istanbulHandlers(deps),
  };
}
