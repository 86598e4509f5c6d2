import type { Address, Hash } from "../primitives/bytes.ts";

/** An event log: up to four topics of 32 bytes, and data. */
export interface Log {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
}

/** The consensus part of a receipt and the address of a created contract. */
export interface Receipt {
  /** 1 = success, else an error code of the receipt status table (0x02…0x1e). */
  readonly status: number;
  /** Gas of this transaction alone, not cumulative. */
  readonly gasUsed: bigint;
  /** 256 bytes over this receipt's logs. */
  readonly bloom: Uint8Array;
  readonly logs: readonly Log[];
  /** CREATE address of (from, nonce) for every transaction without `to`, whatever its outcome. Not in the consensus encoding. */
  readonly contractAddress?: Address;
}
