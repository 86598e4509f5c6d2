import type { Address, Hash } from "../primitives/bytes.ts";

/** A block header. The optional fields are at the end of the RLP list, each from its fork on. */
export interface Header {
  readonly parentHash: Hash;
  readonly rewardbase: Address;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  /** 256 bytes */
  readonly bloom: Uint8Array;
  readonly blockScore: bigint;
  readonly number: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly time: bigint;
  /** Hundredths of a second within `time`, 0…99. */
  readonly timeFoS: number;
  /** 32 bytes vanity, then the Istanbul extra data. */
  readonly extra: Uint8Array;
  readonly governance: Uint8Array;
  readonly vote: Uint8Array;
  /** From magma. */
  readonly baseFee?: bigint;
  /** From randao, 96 bytes. */
  readonly randomReveal?: Uint8Array;
  /** From randao, 32 bytes. */
  readonly mixHash?: Uint8Array;
  /** From osaka. */
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
}
