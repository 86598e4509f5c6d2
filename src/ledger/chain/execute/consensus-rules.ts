import type { Header } from "../../../protocol/block/header.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { Row, StateReader } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/** The canonical chain up to the newest committed block, whether on disk or not: the ancestors of the next block. */
export interface Ancestry {
  header(number: bigint): Header | undefined;
  /** State after a block; undefined if it is not kept. */
  stateAt(number: bigint): StateReader | undefined;
}

/**
 * What the chain requires of consensus; implemented in `network/consensus`. Synchronous: headers are checked in import
 * order, when their parent's state is available.
 */
export interface ConsensusRules {
  /**
   * Checks all header rules that need no execution, including those of the hooks.
   * @param parent - the canonical parent header
   * @throws ConsensusError with the reference node's text
   */
  verifyHeader(header: Header, parent: Header): void;
  /**
   * Announces the headers of coming `verifyHeader` calls, so that checks that are cheaper in bulk can be batched. Has no
   * influence on the results, and never throws.
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

/** The hooks of an extension into block processing. `rewind` undoes `inserted` and `committed`. */
export interface BlockHooks {
  /** @throws NodeError if a header field that belongs to the extension is invalid */
  verifyHeader?(header: Header, parent: Header): void;
  /** Fills in the fields that belong to the extension in a header being prepared. */
  prepare?(header: Header): Header;
  /** Changes the state after the last transaction and before the state root: rewards, treasury, system contracts. */
  finalize?(outcome: BlockOutcome, state: StateJournal): void;
  /** Rows to write in the same record as the executed block; changes nothing else, as the record may fail to be written. */
  inserted?(executed: ExecutedBlock): readonly Row[];
  /** Called once the record is committed, for what an extension keeps in memory. Must not throw. */
  committed?(executed: ExecutedBlock): void;
  /** Rows to write when the chain is rewound to `to`; called before the rows of the removed blocks are deleted. */
  rewind?(to: Header, hash: Hash): readonly Row[];
}
