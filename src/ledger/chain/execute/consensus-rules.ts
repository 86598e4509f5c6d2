import type { Header } from "../../../protocol/block/header.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { Row, StateReader } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/** The canonical chain up to the newest committed block, whether on disk or not: the ancestors of the block at hand. */
export interface Ancestry {
  header(number: bigint): Header | undefined;
  /** State after a block; undefined when its history is not kept. */
  stateAt(number: bigint): StateReader | undefined;
}

/**
 * What the chain needs from consensus; implemented in `network/consensus`. Synchronous: headers are checked in import
 * order, each with its parent's state available.
 */
export interface ConsensusRules {
  /**
   * Checks every header rule that needs no execution, the hooks' rules included.
   * @param parent - the canonical header of the block before
   * @throws ConsensusError with the reference node's text
   */
  verifyHeader(header: Header, parent: Header): void;
  /**
   * Announces headers that `verifyHeader` will be called with, so that checks that are cheaper in bulk can be done for all of them.
   * It decides nothing and never throws.
   * @param headers - in ascending order, a few dozen at most; the first follows the tip
   */
  verifyAhead?(headers: readonly Header[]): void;
  /** Address recovered from the proposer seal of a header; the zero address for the genesis and for unsealed headers. */
  author(header: Header): Address;
}

/** The outcome of a block's transactions, before rewards are paid. */
export interface BlockOutcome {
  /** Roots, bloom and gas used may still be zero when a block is being built; `gasUsed` below is final. */
  readonly header: Header;
  readonly gasUsed: bigint;
  /** Sum of gas used × effective price over the transactions, kei. */
  readonly totalFee: bigint;
}

/** The hooks through which an extension takes part in the life of a block. `rewind` undoes `inserted`. */
export interface BlockHooks {
  /** @throws NodeError when a header field that belongs to the extension is wrong */
  verifyHeader?(header: Header, parent: Header): void;
  /** Fills the fields that belong to the extension into a header that is being prepared. */
  prepare?(header: Header): Header;
  /** Changes the state after the last transaction and before the state root: rewards, treasury, system contracts. */
  finalize?(outcome: BlockOutcome, state: StateJournal): void;
  /** Rows to write in the same record as the executed block. */
  inserted?(executed: ExecutedBlock): readonly Row[];
  /** Rows to write when the chain is rewound to `to`; called before the rows of the removed blocks are deleted. */
  rewind?(to: Header, hash: Hash): readonly Row[];
}
