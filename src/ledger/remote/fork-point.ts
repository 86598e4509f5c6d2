import type { Hash } from "../../protocol/primitives/bytes.ts";

/** The block of a remote chain from whose state a local chain continues. */
export interface ForkPoint {
  /** Chain id of the remote chain. */
  readonly chainId: bigint;
  readonly number: bigint;
  readonly hash: Hash;
  /** Seconds since 1970. */
  readonly time: bigint;
  /** kei per gas; 0 if the block has none. */
  readonly baseFee: bigint;
}
