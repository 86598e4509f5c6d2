import type { Address, Hash } from "../primitives/bytes.ts";
import type { TransactionType } from "./types.ts";

/** One ECDSA signature as it stands in a transaction. */
export interface Signature {
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

export interface AccessListEntry {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

/** @see EIP-7702 */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/**
 * A transaction of any type. Fields that a type does not have are absent. Values are immutable:
 * hashes and recovered keys are cached by object identity.
 */
export interface Transaction {
  readonly type: TransactionType;
  readonly nonce: bigint;
  readonly gas: bigint;
  /** kei per gas; for types with a fee cap this is `maxFeePerGas`. */
  readonly gasPrice: bigint;
  /** Dynamic-fee types only (0x7802 and up). */
  readonly maxPriorityFeePerGas?: bigint;
  /** Absent for contract creation and for types without a recipient. */
  readonly to?: Address;
  /** 0 where the type has none. */
  readonly value: bigint;
  /** Payload, code or anchored data; empty where the type has none. */
  readonly input: Uint8Array;
  /** Declared sender of the Kaia types; absent in legacy and Ethereum types, whose sender is recovered. */
  readonly from?: Address;
  /** Encoded account key (account update). */
  readonly key?: Uint8Array;
  readonly humanReadable?: boolean;
  readonly codeFormat?: bigint;
  readonly feePayer?: Address;
  /** Percentage that the fee payer pays, 1…99 when valid. */
  readonly feeRatio?: number;
  /** Ethereum typed transactions only. */
  readonly chainId?: bigint;
  readonly accessList?: readonly AccessListEntry[];
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly Hash[];
  readonly authorizationList?: readonly Authorization[];
  readonly signatures: readonly Signature[];
  /** Fee-delegated types only. */
  readonly feePayerSignatures?: readonly Signature[];
}
