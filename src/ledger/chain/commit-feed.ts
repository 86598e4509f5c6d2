import type { Header } from "../../protocol/block/header.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { StateChanges } from "../state/state.ts";
import type { ExecutedBlock } from "./chain.ts";

/** Receives every change of the chain, in order, in addition to the database. */
export interface CommitFeed {
  /** @throws Error while no block may be built */
  check(): void;
  /**
   * Called when a block has joined the chain.
   * @param receipts - in storage form; absent for a block without transactions
   * @returns a promise that resolves when the block may be announced; undefined if immediately
   */
  committed(
    executed: ExecutedBlock,
    changes: StateChanges,
    receipts: Uint8Array | undefined,
  ): Promise<void> | undefined;
  /** Called when the blocks above this one have left the chain. */
  rewound(to: { readonly header: Header; readonly hash: Hash }): void;
  /** Called when the state after the head was changed without a block. */
  amended(changes: StateChanges): void;
  /** As `promise`, but rejects as soon as the feed fails permanently. */
  unlessFailing<T>(promise: Promise<T>): Promise<T>;
}
