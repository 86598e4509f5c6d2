import type { Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { PrefixName } from "../../../wallet/signed-message.ts";
import type { LocatedReceipt } from "../render/receipt.ts";

/** Name of the smallest unit of money in texts. */
export type UnitName = "kei" | "peb";

/** The RPC dialect of a release of the reference node: only what differs between releases. */
export interface Dialect {
  /** Names of the chain namespace that `rpc_modules` lists where all modules are enabled; `chain` is one of ours alone. */
  readonly chainNames: readonly ("chain" | "klay" | "kaia")[];
  /** Prefix of signed messages. */
  readonly messageName: PrefixName;
  /** Whether `eth_sign` takes the same prefix; otherwise it takes `Ethereum`. */
  readonly hasOneMessageName: boolean;
  /** Whether the chain namespace rejects look-ups of transactions in unknown blocks; otherwise it finds none. */
  readonly refusesUnknownBlocks: boolean;
  /** Whether blocks and headers of `eth_` show the sum of the block scores so far. */
  readonly showsTotalDifficulty: boolean;
  /** Smallest unit of money in texts. */
  readonly unit: UnitName;
  /** In texts about wallet keys. */
  readonly networkName: "Klaytn" | "Kaia";
  /** Whether suggested prices follow the market, as from the kaia fork on; otherwise they are twice the base fee. */
  readonly pricesFollowTips: boolean;
  /** Code of the newest Ethereum type that callers may have built; later ones are undefined. */
  readonly newestEthType: bigint;
  /** Namespaces of ours that the release does not have. */
  readonly withheld: ReadonlySet<string>;
  /** Error texts, keyed by those of v2.2.1. */
  readonly phrases: ReadonlyMap<string, string>;
  /**
   * Whether responses suit tools for development chains: failed calls and estimates use anvil's words, a revert without
   * output with the data `0x`, the proof of a slot in an empty storage is an empty list, a filled-in gas limit has a margin
   * above the estimate, what is sent, signed, filled in or estimated without `from` is of the node's first account, an
   * estimate without a price needs no balance, and a caller without balance gets an access list.
   */
  readonly suitsTools: boolean;
  /** Whether features beyond the release are served: simulations, what else the Execution API has, whole pending transactions for subscribers. */
  readonly goesBeyond: boolean;
  /** Converts the parameters of a method or subscription from those of v2.2.1. @param name without namespace */
  params(name: string, params: Shape): Shape;
  /** Converts an account's JSON from that of v2.2.1. */
  account(json: { [key: string]: Json }): { [key: string]: Json };
  /** Selects the members of a receipt. */
  receipt(located: LocatedReceipt): LocatedReceipt;
}
