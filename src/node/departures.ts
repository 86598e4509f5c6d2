import type { CallInterceptor } from "../api/rpc/engine/server-options.ts";
import type { PreviewOptions } from "../network/consensus/solo/preview-parts.ts";
import type { ConfigJson } from "../protocol/params/config-json.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import type { Keystore, WalletManager } from "../wallet/wallet.ts";
import type { LedgerFork, LedgerOverrides } from "./storage/ledger.ts";

/**
 * How a development chain departs from the protocol. The other parts of a node use nothing else of it.
 */
export interface Departures {
  /** Key of the only validator, 32 bytes, unless another is given. */
  readonly validatorKey: Uint8Array;
  /** Private keys of the accounts that the node holds unlocked, 32 bytes each. */
  readonly accountKeys: readonly Uint8Array[];
  /** Genesis in Kaia's JSON format, used unless the options provide one. */
  readonly genesis: ConfigJson;
  /** Wrappers around the rules of the chain. */
  readonly overrides: LedgerOverrides;
  /** The fork point that the chain starts from. */
  readonly ledgerFork: LedgerFork | undefined;
  /** Number of the first own block. */
  readonly firstNumber: bigint;
  /** Time limit for the transactions of a block, in milliseconds. */
  readonly blockTimeLimitMs: number;
  /** How previews of the next block are built. */
  readonly previews: PreviewOptions;
  /** Where the account of the next block's rewards is kept. */
  readonly nextBlock: NextRewardbase;
  /** Intercepts RPC calls, if set. */
  readonly interceptor: CallInterceptor | undefined;
  /** The wallets as RPC methods see them. */
  wallets(wallets: Keystore): WalletManager;
  /** Aborts reads from the remote node, so that they do not delay the shutdown. */
  stopReading(): void;
}

/** The account that receives the rewards of the next block. */
export interface NextRewardbase {
  readonly setting: { readonly rewardbase?: Address | undefined };
  set(setting: { readonly rewardbase: Address }): void;
}
