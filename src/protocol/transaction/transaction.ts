import type { Address, Hash } from "../primitives/bytes.ts";
import type { TransactionType } from "./types.ts";

/** One ECDSA signature of a transaction. */
export interface Signature {
  /** chainId · 2 + 35 + parity, 27 or 28 (legacy without a chain id), or the parity alone (0x78xx). */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/** An account that will be touched, and which of its slots. */
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

/** The sidecar of a blob transaction on the network; not part of blocks. @see EIP-4844, EIP-7594 */
export interface BlobSidecar {
  /** 0: one proof per blob; 1: 128 cell proofs per blob. */
  readonly version: 0 | 1;
  /** 131,072 bytes each. */
  readonly blobs: readonly Uint8Array[];
  /** 48 bytes each, as are the proofs. */
  readonly commitments: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
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
  readonly maxPriorityFeePerGas?: bigint | undefined;
  /** Absent for contract creation and for types without a recipient. */
  readonly to?: Address | undefined;
  /** 0 if the type has none. */
  readonly value: bigint;
  /** Payload, code or anchored data; empty if the type has none. */
  readonly input: Uint8Array;
  /** Declared sender of the Kaia types; absent in legacy and Ethereum types, whose sender is recovered. */
  readonly from?: Address | undefined;
  /** Encoded account key (account update). */
  readonly key?: Uint8Array | undefined;
  readonly humanReadable?: boolean | undefined;
  readonly codeFormat?: bigint | undefined;
  readonly feePayer?: Address | undefined;
  /** Percentage that the fee payer pays, 1…99 when valid. */
  readonly feeRatio?: number | undefined;
  /** Ethereum typed transactions only. */
  readonly chainId?: bigint | undefined;
  readonly accessList?: readonly AccessListEntry[] | undefined;
  readonly maxFeePerBlobGas?: bigint | undefined;
  readonly blobVersionedHashes?: readonly Hash[] | undefined;
  readonly authorizationList?: readonly Authorization[] | undefined;
  /** Blob transactions in network form only. */
  readonly sidecar?: BlobSidecar | undefined;
  readonly signatures: readonly Signature[];
  /** Fee-delegated types only. */
  readonly feePayerSignatures?: readonly Signature[] | undefined;
}
