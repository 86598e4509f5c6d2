import type { SupplyHistory } from "../../ledger/extensions/supply/supply-history.ts";
import type { Registry } from "./engine/registry.ts";
import { blobHandlers } from "./handlers/chain/blobs.ts";
import { ChainReader } from "./handlers/chain/chain-reader.ts";
import { proofHandlers, recoveryHandlers } from "./handlers/chain/proofs.ts";
import {
  chainConsensusHandlers,
  ethMiningHandlers,
  istanbulHandlers,
} from "./handlers/consensus/chain-consensus.ts";
import type { ConsensusDeps } from "./handlers/consensus/consensus-reader.ts";
import { ethConfigHandlers } from "./handlers/consensus/eth-config.ts";
import { governanceHandlers } from "./handlers/consensus/governance.ts";
import { supplyHandlers } from "./handlers/consensus/supply.ts";
import type { HeavyReads } from "./services/heavy-reads.ts";
import { blobs } from "./spec/chain/blobs.ts";
import { proofs, recovery } from "./spec/chain/proofs.ts";
import { chainConsensus, ethMining, istanbul } from "./spec/consensus/chain-consensus.ts";
import { ethConfig } from "./spec/consensus/eth-config.ts";
import { governance } from "./spec/consensus/governance.ts";
import { supply } from "./spec/consensus/supply.ts";

/** Adds the namespaces governance and istanbul, and consensus and proofs to the namespaces chain and eth. */
export function addConsensus(
  registry: Registry,
  deps: ConsensusDeps & {
    readonly senderIndex: boolean;
    readonly supply: SupplyHistory;
    readonly reads: HeavyReads;
  },
): Registry {
  const reader = new ChainReader(deps.chain, deps.pending);
  const proving = proofHandlers(reader, deps.chain.store, {
    reads: deps.reads,
    hasEmptyProofs: registry.dialect.suitsTools,
  });
  return registry
    .mount("chain", proofs, proving)
    .mount("eth", proofs, proving)
    .mount("chain", recovery, recoveryHandlers(deps.chain, reader))
    .mount("chain", chainConsensus, chainConsensusHandlers(deps))
    .mount("chain", supply, supplyHandlers(deps))
    .mount("eth", ethMining, ethMiningHandlers(deps))
    .mount("eth", blobs, blobHandlers(deps.chain, deps.extensions.sidecars))
    .mount("eth", ethConfig, ethConfigHandlers(deps.chain))
    .mount("governance", governance, governanceHandlers(deps))
    .mount("istanbul", istanbul, istanbulHandlers(deps));
}
