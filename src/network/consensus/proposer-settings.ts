import type { Address } from "../../protocol/primitives/bytes.ts";

/** Settings for blocks sealed by this node. Changes apply from the next block on. */
export interface ProposerSettings {
  /** Reward address, unless the address book has another; absent = the validator's address. */
  rewardbase?: Address | undefined;
  /** Free text of up to 31 bytes for the extra data; absent = none. */
  vanity?: Uint8Array | undefined;
  /** Minimum gas price in kei; cheaper transactions stay in the pool. Absent = only the base fee applies. */
  lowestGasPrice?: bigint | undefined;
}
