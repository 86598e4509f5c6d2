import type { Schema } from "../codec/json/schema.ts";
import type { Fork } from "../params/forks.ts";
import type { Wire } from "./wire.ts";

/** Who pays the fee of a transaction type: its sender, a fee payer, or both. */
export type FeeMode = "sender" | "feePayer" | "shared";

/** The effect of a transaction type; one per base type. */
export type TransactionEffect =
  | "transfer"
  | "memo"
  | "accountUpdate"
  | "deploy"
  | "execute"
  | "cancel"
  | "anchor"
  /** Legacy and Ethereum types: creation without `to`, else a call. */
  | "ethereum";

/** The encoded properties of `Transaction`. */
export type FieldName =
  | "nonce"
  | "gas"
  | "gasPrice"
  | "maxPriorityFeePerGas"
  | "to"
  | "value"
  | "input"
  | "from"
  | "key"
  | "humanReadable"
  | "codeFormat"
  | "feePayer"
  | "feeRatio"
  | "chainId"
  | "accessList"
  | "maxFeePerBlobGas"
  | "blobVersionedHashes"
  | "authorizationList"
  | "signatures"
  | "feePayerSignatures";

/** One field of a transaction: its property, its place on the wire and its member in JSON objects. */
export interface TransactionField<K extends FieldName = FieldName> {
  /** Property of `Transaction`. */
  readonly property: K;
  /** Member of JSON objects. */
  readonly json: string;
  /** Name in the error texts of the reference node. */
  readonly goName: string;
  /** Whether it may be absent in a transaction of the type. */
  readonly optional?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: rows of different value types stand in one table
  readonly wire: Wire<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly schema: Schema<any>;
}

/**
 * Codes of the types that are named outside the type table. Those of Ethereum are 0, or the envelope byte 0x78 and
 * Ethereum's own type byte; of the others, one more is fee-delegated, and two more fee-delegated with a ratio.
 */
export const TypeCode = {
  legacy: 0,
  valueTransfer: 0x08,
  accountUpdate: 0x20,
  contractExecution: 0x30,
  accessList: 0x7801,
  dynamicFee: 0x7802,
  blob: 0x7803,
  setCode: 0x7804,
} as const;

/** Whether a type travels in the Ethereum envelope: 0x7801 and up. */
export function isEnveloped({ code }: Pick<TransactionType, "code">): boolean {
  return code > 0xff;
}

/** One row of the type table in `type-table.ts`. */
export interface TransactionType {
  /** `TxTypeFeeDelegatedValueTransfer`, … as the reference names it. */
  readonly name: string;
  /** 0, 0x08…0x4a, 0x7801…0x7804 */
  readonly code: number;
  readonly feeMode: FeeMode;
  readonly effect: TransactionEffect;
  /** True for type 0 and 0x78xx: the sender is recovered and must hold a legacy key. */
  readonly ethereum: boolean;
  /** Prefix of the list on the wire: nothing, the type byte, or 0x78 and the type byte. */
  readonly prefix: Uint8Array;
  /** The fields that the sender signs, in wire order. */
  readonly fields: readonly TransactionField[];
  /** The fork that introduced the type; absent for types valid from genesis. */
  readonly since?: Fork;
}
