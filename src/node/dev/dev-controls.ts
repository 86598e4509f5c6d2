import type { DevControls } from "../../api/rpc/handlers/dev/dev-controls.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { SealingService } from "../../network/consensus/solo/sealing-service.ts";
import type { Randomness } from "../../platform/runtime/runtime.ts";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import type { WalletManager } from "../../wallet/wallet.ts";
import type { Ledger } from "../storage/ledger.ts";
import { devClientVersion, VERSION } from "../version.ts";
import { AutoFeePayer } from "./accounts/auto-fee-payer.ts";
import { DevAccounts } from "./accounts/dev-accounts.ts";
import { Amendments } from "./amendments.ts";
import type { DevRules } from "./blocks/dev-rules.ts";
import { DevSealing } from "./blocks/dev-sealing.ts";
import { DevChainControls } from "./dev-chain-controls.ts";
import { applyDevStart, type DevStart } from "./dev-start.ts";
import type { Forking } from "./fork/forking.ts";
import { Snapshots } from "./snapshots/snapshots.ts";
import { DevState } from "./state/dev-state.ts";

/** What the controls of a development chain are built from. */
export interface DevControlParts {
  readonly rules: DevRules;
  readonly ledger: Ledger;
  readonly forking: Forking;
  /** The settings from the start. */
  readonly start: DevStart;
  readonly pool: ChainTransactionPool;
  readonly sealing: SealingService;
  readonly clock: ChainClock;
  readonly wallets: WalletManager;
  readonly randomness: Randomness;
  /** Shared with everything else that yields. */
  readonly pace: Pace;
}

/** Everything that developers may do to their chain. */
export function createDevControls(parts: DevControlParts): DevControls {
  const { rules, ledger, forking, start, pool, sealing, clock, wallets, randomness, pace } = parts;
  const { chain } = ledger;
  const amendments = new Amendments(chain);
  const { impersonation, nextBlock } = rules;
  const snapshots = new Snapshots({ chain, pool, clock, amendments, impersonation, nextBlock });
  const state = new DevState({
    chain,
    amendments,
    pace,
    readAhead: (reads) => forking.readAhead(reads),
    hasSnapshots: () => snapshots.any,
    first: () => forking.firstBlock(ledger),
  });
  const about = {
    clientVersion: devClientVersion(),
    version: VERSION,
    instanceId: randomness.bytes(32),
  };
  const feePayer = new AutoFeePayer(wallets, chain.config.chainId);
  const restart = (): void => {
    // Time on a fork continues from the fork point: contracts may not expect that years have passed.
    const now = forking.fork && chain.tip.header.time;
    applyDevStart(start, { clock, rules, feePayer }, now);
  };
  restart();
  return {
    sealing: new DevSealing({ sealing, clock, chain }),
    accounts: new DevAccounts(state, impersonation),
    chain: new DevChainControls({ ledger, forking, pool, clock, rules, state, snapshots, restart, ...about }),
    feePayer,
  };
}
