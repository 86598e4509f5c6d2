/** How a transaction type pays: by its sender, by a fee payer, or in parts by both. */
export type FeeMode = "sender" | "feePayer" | "shared";

/** What a transaction does when it runs; one effect per base type. */
export type Effect =
  | "transfer"
  | "memo"
  | "accountUpdate"
  | "deploy"
  | "execute"
  | "cancel"
  | "anchor"
  /** Legacy and Ethereum types: creation without `to`, else a call. */
  | "ethereum";

/** One row of the type table. */
export interface TransactionType {
  /** `TxTypeFeeDelegatedValueTransfer`, … as the reference names it. */
  readonly name: string;
  /** 0, 0x08…0x4a, 0x7801…0x7804 */
  readonly code: number;
  readonly feeMode: FeeMode;
  readonly effect: Effect;
  /** True for type 0 and 0x78xx: the sender is recovered and must hold a legacy key. */
  readonly ethereum: boolean;
}
