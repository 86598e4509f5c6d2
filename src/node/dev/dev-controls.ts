import type { DevControls } from "../../api/rpc/handlers/dev/dev-controls.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { SealingService } from "../../network/consensus/solo/sealing-service.ts";
import type { Randomness } from "../../platform/runtime/runtime.ts";
import type { WalletManager } from "../../wallet/wallet.ts";
import { devClientVersion, VERSION } from "../version.ts";
import { Amendments } from "./amendments.ts";
import { AutoFeePayer } from "./auto-fee-payer.ts";
import { DevAccounts } from "./dev-accounts.ts";
import { DevChainControls } from "./dev-chain-controls.ts";
import { DevMining } from "./dev-mining.ts";
import type { DevRules } from "./dev-rules.ts";
import { DevState, type FirstBlock } from "./dev-state.ts";
import { Snapshots } from "./snapshots.ts";

/** What control over a development chain is made of. */
export interface DevControlParts {
  readonly rules: DevRules;
  readonly chain: Blockchain;
  readonly first: FirstBlock;
  readonly pool: ChainTransactionPool;
  readonly sealing: SealingService;
  readonly clock: ChainClock;
  readonly wallets: WalletManager;
  readonly randomness: Randomness;
}

/** Everything that developers may do to their chain. */
export function createDevControls(parts: DevControlParts): DevControls {
  const { rules, chain, first, pool, sealing, clock, wallets, randomness } = parts;
  const amendments = new Amendments(chain);
  const { impersonation, nextBlock } = rules;
  const snapshots = new Snapshots({ chain, pool, clock, amendments, impersonation, nextBlock });
  const state = new DevState({ chain, amendments, hasSnapshots: () => snapshots.any, first });
  const about = {
    clientVersion: devClientVersion(),
    version: VERSION,
    instanceId: randomness.bytes(32),
  };
  return {
    mining: new DevMining({ sealing, clock, chain }),
    accounts: new DevAccounts(state, impersonation),
    chain: new DevChainControls({ chain, pool, clock, rules, state, snapshots, ...about }),
    feePayer: new AutoFeePayer(wallets, chain.config.chainId),
  };
}
