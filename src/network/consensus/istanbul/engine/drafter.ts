import type { CandidateBlock } from "../../../../ledger/chain/execute/candidate-block.ts";
import type { Clock } from "../../../../platform/runtime/runtime.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import { proposerSealMessage } from "../../../../protocol/block/hash.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { withProposerSeal } from "../../../../protocol/block/seal.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { TransactionValue } from "../../../../protocol/transaction/value.ts";
import type { BlockProducer } from "../../block-producer.ts";
import { BLOCK_PERIOD } from "../header-rules.ts";
import type { MessageSigner } from "../messages/open-message.ts";

/** Dependencies of a drafter. */
export interface DrafterParts {
  readonly producer: BlockProducer;
  /** Prepares the header of the block after a parent. */
  readonly prepare: (parent: Header, nowMs: number) => Header;
  readonly signer: MessageSigner;
  readonly clock: Clock;
}

/** A block drafted by this validator, with its proposer seal. */
export interface SealedDraft {
  /** The block as proposed, with its blob sidecars. */
  readonly block: Block;
  readonly candidate: CandidateBlock;
}

/** Drafts the blocks that this validator proposes. */
export class Drafter {
  readonly #parts: DrafterParts;

  constructor(parts: DrafterParts) {
    this.#parts = parts;
  }

  /** Earliest time of the block after the tip, in milliseconds since 1970. */
  dueMs(): number {
    return Number(this.#parts.producer.tip.header.time + BLOCK_PERIOD) * 1_000;
  }

  /** Drafts the block after the tip. @returns undefined if the tip has moved meanwhile */
  async draft(): Promise<SealedDraft | undefined> {
    const { producer, prepare, signer, clock } = this.#parts;
    const draft = await producer.draft((parent) => prepare(parent, clock.now()));
    if (draft === undefined) return undefined;
    const { sidecars } = draft;
    const header = withProposerSeal(draft.block.header, signer.sign(proposerSealMessage(draft.block.header)));
    const transactions = draft.block.transactions.map((tx, i) => withSidecar(tx, sidecars?.get(i)));
    return {
      block: { header, transactions },
      candidate: { ...draft, block: { ...draft.block, header } },
    };
  }
}

function withSidecar(tx: Transaction, sidecar: Transaction["sidecar"]): Transaction {
  return sidecar === undefined || tx.sidecar !== undefined ? tx : new TransactionValue({ ...tx, sidecar });
}
