import {
  chainConsensusHandlers,
  ethMiningHandlers,
  istanbulHandlers,
} from "./handlers/consensus/chain-consensus.ts";
import type { ConsensusDeps } from "./handlers/consensus/consensus-reader.ts";
import { governanceHandlers } from "./handlers/consensus/governance.ts";
import type { Registry } from "./registry.ts";
import { chainConsensus, ethMining, istanbul } from "./spec/consensus/chain-consensus.ts";
import { governance } from "./spec/consensus/governance.ts";

/** Adds the namespaces governance and istanbul, and consensus to the namespaces chain and eth. */
export function addConsensus(
  registry: Registry,
  deps: ConsensusDeps & { readonly senderIndex: boolean },
): Registry {
  return registry
    .mount("chain", chainConsensus, chainConsensusHandlers(deps))
    .mount("eth", ethMining, ethMiningHandlers(deps))
    .mount("governance", governance, governanceHandlers(deps))
    .mount("istanbul", istanbul, istanbulHandlers(deps));
}
