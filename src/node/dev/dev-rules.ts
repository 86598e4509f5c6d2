import type { ChainOverrides } from "../../ledger/chain/blockchain.ts";
import type { ConsensusRules } from "../../ledger/chain/consensus-rules.ts";
import type { SenderRecovery } from "../../protocol/transaction/recovery.ts";
import type { LedgerOverrides } from "../ledger.ts";
import { Impersonation, restoreImpersonated } from "./impersonation.ts";
import { NextBlock } from "./next-block.ts";

/** Where a development chain departs from the protocol: who may send without a key, and what the next block is like. */
export class DevRules implements LedgerOverrides {
  readonly impersonation = new Impersonation();
  readonly nextBlock = new NextBlock();

  consensus(rules: ConsensusRules): ConsensusRules {
    return this.nextBlock.consensus(rules);
  }

  recovery(recovery: SenderRecovery, chainId: bigint): SenderRecovery {
    return this.impersonation.recovering(recovery, chainId);
  }

  chain(chainId: bigint): ChainOverrides {
    return {
      nextBaseFee: () => this.nextBlock.setting.baseFee,
      restore: (transactions) => restoreImpersonated(transactions, chainId),
    };
  }
}
