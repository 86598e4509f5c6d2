import type { Header } from "../../../protocol/block/header.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateReader } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/** What the next block would be, were it made now. */
export interface BlockPreview {
  /** Complete but for roots and seals. */
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  /** Who would seal it; absent where calls are not told, as by the reference node v2.2.1. */
  readonly author?: Address | undefined;
  /** The state after it; to be read before the next block is committed. */
  readonly state: StateReader;
}

/** The block that this node would make now: what callers mean by `pending`. Nothing of it is kept in the chain. */
export interface PendingBlocks {
  /** As the next block would be with what is in the pool now. @throws MissingState where a part of the state is not here yet */
  preview(): BlockPreview;
  /**
   * The same for who asks often: perhaps without what came into the pool last, so that making it anew takes a small part of
   * the time only; undefined while nothing waits for the next block and the head does as well.
   */
  recent(): BlockPreview | undefined;
  /** Whether its receipts are shown; the reference node v2.2.1 does not. */
  readonly showsReceipts: boolean;
  /** The same, complete but for its seals; its hash is that of a header without them. */
  block(): ExecutedBlock | Promise<ExecutedBlock>;
}
