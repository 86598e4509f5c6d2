import type { CallInterceptor } from "../api/rpc/engine/server-options.ts";
import type { PreviewOptions } from "../network/consensus/solo/block-previews.ts";
import type { ConfigJson } from "../protocol/params/config-json.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import type { Keystore, WalletManager } from "../wallet/wallet.ts";
import type { LedgerFork, LedgerOverrides } from "./storage/ledger.ts";

/**
 * Where a chain departs from the protocol, as seen by the parts of a node; only a development chain does. The other
 * parts use nothing else of it.
 */
export interface Departures {
  /** Key of the only validator, 32 bytes, unless another is given. */
  readonly validatorKey: Uint8Array;
  /** Private keys of the accounts that the node holds unlocked, 32 bytes each. */
  readonly accountKeys: readonly Uint8Array[];
  /** Genesis in the Kaia JSON form, for a chain whose options name none. */
  readonly genesis: ConfigJson;
  /** What wraps the rules of the chain. */
  readonly overrides: LedgerOverrides;
  /** The fork point that the chain starts from. */
  readonly ledgerFork: LedgerFork | undefined;
  /** Number of the first block that is this node's own. */
  readonly firstNumber: bigint;
  /** How long the transactions of a block may run, in milliseconds. */
  readonly blockTimeLimitMs: number;
  /** How previews of the next block are built. */
  readonly previews: PreviewOptions;
  /** Where the account of the next block's rewards is kept. */
  readonly nextBlock: NextRewardbase;
  /** Intercepts RPC calls, if set. */
  readonly interceptor: CallInterceptor | undefined;
  /** The wallets as methods of RPC see them. */
  wallets(wallets: Keystore): WalletManager;
  /** Aborts reads from the remote node, so that nothing waits for them while the node stops. */
  stopReading(): void;
}

/** The account that receives the rewards of the next block. */
export interface NextRewardbase {
  readonly setting: { readonly rewardbase?: Address | undefined };
  ask(wish: { readonly rewardbase: Address }): void;
}
