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
  /** Its proposer; absent where calls must not see it, as on reference node v2.2.1. */
  readonly author?: Address | undefined;
  /** The state after it; valid until the next block is committed. */
  readonly state: StateReader;
  /** What it changed of the state of the block before it. */
  readonly changes: StateChanges;
}

/** The block that this node would build now, which callers know as `pending`. It leaves no trace in the chain. */
export interface PendingBlocks {
  /** The next block with the current pool. @throws MissingState while a part of the state has not been fetched */
  preview(): BlockPreview;
  /**
   * The same for frequent callers: it may lack the newest transactions, so that rebuilding it takes only a small share of
   * the time. Undefined while the pool is empty, when the head serves as well.
   */
  recent(): BlockPreview | undefined;
  /** Whether its receipts are served; reference node v2.2.1 does not serve them. */
  readonly showsReceipts: boolean;
  /** The same, complete except for its seals; its hash is that of the unsealed header. */
  block(): ExecutedBlock | Promise<ExecutedBlock>;
}
