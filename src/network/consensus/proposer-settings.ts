import type { Address } from "../../protocol/primitives/bytes.ts";

/** An operator's settings for blocks sealed by a node. Changes apply from the next block on. */
export interface ProposerSettings {
  /** Reward address, unless the address book names another; absent = the validator itself. */
  rewardbase?: Address | undefined;
  /** Free text of up to 31 bytes for the extra data; absent = none. */
  vanity?: Uint8Array | undefined;
  /** Transactions that offer less, in kei per gas, stay in the pool; absent = the base fee decides alone. */
  lowestGasPrice?: bigint | undefined;
}
