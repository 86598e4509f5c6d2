import type { Account } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";

/** An account of a remote chain with its code. */
export interface RemoteAccount {
  /** Undefined if it does not exist. The storage root differs from the empty one if there may be storage. */
  readonly account: Account | undefined;
  readonly code: Uint8Array;
}

/** A storage slot of an account. */
export interface RemoteSlot {
  readonly address: Address;
  /** 32 bytes */
  readonly slot: Hash;
}

/** The state of a remote chain after one block, read in batches. Results are in the order of the arguments. */
export interface RemoteSource {
  accounts(addresses: readonly Address[]): Promise<readonly RemoteAccount[]>;
  /** Values without leading zeros. */
  slots(slots: readonly RemoteSlot[]): Promise<readonly Uint8Array[]>;
  hashes(numbers: readonly bigint[]): Promise<readonly Hash[]>;
}
