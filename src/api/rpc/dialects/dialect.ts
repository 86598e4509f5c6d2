import type { Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { PrefixName } from "../../../wallet/signed-message.ts";
import type { LocatedReceipt } from "../render/receipt.ts";
import type { ChainName } from "../spec/chain-names.ts";

/** Name of the smallest currency unit in messages. */
export type UnitName = "kei" | "peb";

/** The RPC dialect of a release of the reference node: only what differs between releases. */
export interface Dialect {
  /** Names under which `rpc_modules` lists the chain namespace when all modules are enabled; `chain` is our own addition. */
  readonly chainNames: readonly ChainName[];
  /** Prefix of signed messages. */
  readonly messageName: PrefixName;
  /** Whether `eth_sign` takes the same prefix; otherwise it takes `Ethereum`. */
  readonly hasOneMessageName: boolean;
  /** Whether the chain namespace rejects look-ups of transactions in unknown blocks; otherwise it finds none. */
  readonly refusesUnknownBlocks: boolean;
  /** Whether blocks and headers of `eth_` show the sum of the block scores so far. */
  readonly showsTotalDifficulty: boolean;
  /** Smallest currency unit, as named in messages. */
  readonly unit: UnitName;
  /** Network name in messages about wallet keys. */
  readonly networkName: "Klaytn" | "Kaia";
  /** Whether suggested prices follow the market, as from the kaia fork on; otherwise they are twice the base fee. */
  readonly pricesFollowTips: boolean;
  /** Code of the newest Ethereum transaction type that callers may use; the release does not know later ones. */
  readonly newestEthType: bigint;
  /** Namespaces hidden because the release does not have them. */
  readonly hiddenNamespaces: ReadonlySet<string>;
  /** Error messages that differ, keyed by those of v2.2.1. */
  readonly phrases: ReadonlyMap<string, string>;
  /**
   * Whether responses suit development tools: failed calls and estimates are worded as by anvil, a revert without output has the
   * data `0x`, the proof of a slot in an empty storage is an empty list, a default gas limit has a margin above the estimate,
   * the node's first account is the default `from` for sending, signing, filling in and estimating, an estimate without a price
   * needs no balance, and a caller without balance gets an access list.
   */
  readonly matchesAnvil: boolean;
  /** Whether features beyond the release are served: simulations, the rest of the Execution API, full pending transactions for subscribers. */
  readonly servesExtras: boolean;
  /** Converts the parameters of a method or subscription from those of v2.2.1. @param name without namespace */
  params(name: string, params: Shape): Shape;
  /** Converts an account's JSON from that of v2.2.1. */
  account(json: { [key: string]: Json }): { [key: string]: Json };
  /** Selects the members of a receipt. */
  receipt(located: LocatedReceipt): LocatedReceipt;
}
