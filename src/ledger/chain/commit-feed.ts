import type { Header } from "../../protocol/block/header.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { StateChanges } from "../state/state.ts";
import type { ExecutedBlock } from "./chain.ts";

/** Receives every committed block, besides the database, in the order in which the chain changes. */
export interface CommitFeed {
  /** @throws Error while nothing may be built */
  check(): void;
  /**
   * A block joined the chain.
   * @param receipts - in storage form; absent for a block without transactions
   * @returns a promise that resolves when it may be announced; undefined if it may be at once
   */
  committed(
    executed: ExecutedBlock,
    changes: StateChanges,
    receipts: Uint8Array | undefined,
  ): Promise<void> | undefined;
  /** Called when the blocks above this one have left the chain. */
  rewound(to: { readonly header: Header; readonly hash: Hash }): void;
  /** Called when the state after the head was changed by hand. */
  amended(changes: StateChanges): void;
  /** The promise, which fails as soon as the feed fails for good. */
  unlessFailing<T>(promise: Promise<T>): Promise<T>;
}
