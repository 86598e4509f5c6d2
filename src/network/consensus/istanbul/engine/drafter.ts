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

/** What blocks are drafted with. */
export interface DrafterParts {
  readonly producer: BlockProducer;
  /** Makes the header of the block after a parent. */
  readonly prepare: (parent: Header, nowMs: number) => Header;
  readonly signer: MessageSigner;
  readonly clock: Clock;
}

/** A block of our own with the proposer's seal. */
export interface SealedDraft {
  /** As it is proposed, with the sidecars of its blobs. */
  readonly block: Block;
  readonly candidate: CandidateBlock;
}

/** Makes the blocks that this validator proposes. */
export class Drafter {
  readonly #parts: DrafterParts;

  constructor(parts: DrafterParts) {
    this.#parts = parts;
  }

  /** When the block after the tip may be made, in milliseconds since 1970. */
  dueMs(): number {
    return Number(this.#parts.producer.tip.header.time + BLOCK_PERIOD) * 1_000;
  }

  /** The block after the tip. @returns undefined where the tip has moved meanwhile */
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
