import type { Header } from "../../../protocol/block/header.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateChanges, StateReader } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/** The next block, if it were built now. */
export interface BlockPreview {
  /** Complete except for roots and seals. */
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  /** Its proposer; absent if calls must not see it, as on reference node v2.2.1. */
  readonly author?: Address | undefined;
  /** The state after it; valid until the next block is committed. */
  readonly state: StateReader;
  /** Its changes to the parent's state. */
  readonly changes: StateChanges;
}

/** The block this node would build now, known to callers as `pending`. Previews leave the chain untouched. */
export interface PendingBlocks {
  /** The next block from the current pool. @throws MissingState while a part of the state has not been fetched */
  preview(): BlockPreview;
  /**
   * As `preview`, for frequent callers: may lack the newest transactions, so that rebuilding it takes only a small share of
   * the time. Undefined while the pool is empty, as the head then serves as well.
   */
  recent(): BlockPreview | undefined;
  /** Whether pending receipts are served; reference node v2.2.1 does not. */
  readonly showsReceipts: boolean;
  /** The preview with its roots, complete except for seals; its hash is that of the unsealed header. */
  block(): ExecutedBlock | Promise<ExecutedBlock>;
}
