import type { CallInterceptor } from "../api/rpc/engine/server.ts";
import type { PreviewOptions } from "../network/consensus/solo/block-previews.ts";
import type { JsonObject } from "../protocol/params/config-json.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import type { Keystore, WalletManager } from "../wallet/wallet.ts";
import type { LedgerFork, LedgerOverrides } from "./storage/ledger.ts";

/**
 * Where a chain departs from the protocol, as the parts of a node take it; the only one that does is a development chain.
 * Other parts ask for nothing else of it.
 */
export interface Departures {
  /** Key of the only validator, 32 bytes, unless another is given. */
  readonly validatorKey: Uint8Array;
  /** Private keys of the accounts that the node holds unlocked, 32 bytes each. */
  readonly accountKeys: readonly Uint8Array[];
  /** In the Kaia JSON form; of a chain that names none. */
  readonly genesis: JsonObject;
  /** What is put around the rules of the chain. */
  readonly overrides: LedgerOverrides;
  /** What the chain goes on from at the start. */
  readonly ledgerFork: LedgerFork | undefined;
  /** Number of the first block that is this node's own. */
  readonly firstNumber: bigint;
  /** How long the transactions of a block may run, in milliseconds. */
  readonly blockTimeLimitMs: number;
  /** How previews of the next block are made. */
  readonly previews: PreviewOptions;
  /** Where the account of the next block's rewards is kept. */
  readonly nextBlock: NextRewardbase;
  /** Stands around the methods of RPC now. */
  readonly interceptor: CallInterceptor | undefined;
  /** The wallets as methods of RPC see them. */
  wallets(wallets: Keystore): WalletManager;
  /** Gives up what is being read from elsewhere, so that nobody waits for it while the node stops. */
  stopReading(): void;
}

/** The account that the rewards of the next block go to. */
export interface NextRewardbase {
  readonly setting: { readonly rewardbase?: Address | undefined };
  ask(wish: { readonly rewardbase: Address }): void;
}
