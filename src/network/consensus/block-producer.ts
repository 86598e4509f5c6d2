import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Branches } from "../../ledger/chain/branch/branches.ts";
import type { ExecutedBlock } from "../../ledger/chain/chain.ts";
import type { BlockReference } from "../../ledger/chain/chain-parts.ts";
import type {
  BlockProcessor,
  DraftPlan,
  PreviewedBlock,
} from "../../ledger/chain/execute/block-processor.ts";
import { verifyBody } from "../../ledger/chain/execute/body-rules.ts";
import type { CandidateBlock, DraftBlock } from "../../ledger/chain/execute/candidate-block.ts";
import type { FailedBundle, TransactionOrBundle } from "../../ledger/execution/block/bundle.ts";
import type { RejectionCode } from "../../ledger/execution/errors.ts";
import { retryUntilLoadedAsync } from "../../ledger/state/missing-state.ts";
import { unlessStale } from "../../ledger/state/unless-stale.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import { BlobVerdicts, type BlobVerifier } from "../../ledger/txpool/rules/blob-proofs.ts";
import { checkSidecar } from "../../ledger/txpool/rules/blob-rules.ts";
import type { Clock } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import type { Header } from "../../protocol/block/header.ts";
import { type Address, equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { withoutSidecar } from "../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";

/** Dependencies of the verification of other validators' proposals. */
export interface VerificationParts {
  readonly recovery: SenderRecovery;
  /** Absent = blocks with blobs are rejected. */
  readonly blobs?: BlobVerifier | undefined;
}

/** Dependencies of a block producer. */
export interface ProducerParts {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly branches: Branches;
  readonly pool: TransactionPool;
  /** Address of this validator. */
  readonly author: Address;
  /** Minimum gas price in kei, read for each block. Transactions below it are left out. */
  readonly settings: { readonly lowestGasPrice?: bigint | undefined };
  /** Replaces transactions by the bundles that contain them; absent = no bundles. */
  readonly bundle?: ((candidates: Iterable<Transaction>) => Iterable<TransactionOrBundle>) | undefined;
  /** Time limit for the transactions of a block, in milliseconds; absent = the protocol's limit. */
  readonly timeLimitMs?: number | undefined;
  /** Absent on a node that is the only validator. */
  readonly verification?: VerificationParts | undefined;
  readonly runtime: { readonly clock: Clock };
  readonly logger: Logger;
}

/** Rejections that may not apply to the next block: the transaction stays in the pool. */
const TRANSIENT_REJECTIONS: ReadonlySet<RejectionCode> = new Set([
  "NONCE_TOO_LOW",
  "NONCE_TOO_HIGH",
  "INSUFFICIENT_VALUE",
]);

const ABANDONED = new Error("this block is no longer needed");

/** Drafts candidates for the next block from the pool, and inserts the one that the engine has sealed. */
export class BlockProducer {
  readonly #parts: ProducerParts;
  readonly #verdicts: BlobVerdicts;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
    this.#verdicts = new BlobVerdicts(parts.verification?.blobs);
  }

  /** The parent of the next block. */
  get tip(): BlockReference {
    return this.#parts.chain.tip;
  }

  /** Number of executable transactions. */
  get pendingCount(): number {
    return this.#parts.pool.status().pending;
  }

  /** Calls a listener when more transactions become executable. @returns the unsubscribe function */
  onPending(listener: () => void): () => void {
    return this.#parts.pool.onPending(listener);
  }

  /**
   * Drafts the block after the tip. The chain is not locked meanwhile: several drafts may be in progress, and blocks may be
   * inserted. Transactions that can never be included are dropped from the pool.
   * @param prepare - the header of the block after a parent
   * @returns undefined if the tip or its state has changed meanwhile, or the chain was rewound
   */
  async draft(prepare: (parent: Header) => Header): Promise<DraftBlock | undefined> {
    const { chain, processor, pool } = this.#parts;
    const { generation } = chain;
    const draft = await unlessStale(chain.store, () =>
      retryUntilLoadedAsync(() => processor.draft(this.#plan(prepare(chain.tip.header)))),
    );
    if (draft === undefined || generation !== chain.generation) return undefined;
    pool.remove(permanentlyRejected(draft));
    for (const failure of draft.failed) this.#drop(failure);
    const sidecars = sidecarsOf(draft.block.transactions, (tx) => pool.get(transactionHash(tx))?.sidecar);
    return { ...draft, sidecars, generation };
  }

  /**
   * Executes another validator's block that follows the tip, with its blob sidecars. The chain is not locked meanwhile.
   * @param limitMs - execution is abandoned after this long: nothing else limits the transactions of a block
   * @returns undefined if the tip has moved meanwhile, or on a timeout
   * @throws NodeError if the block is invalid
   */
  check(block: Block, limitMs: number): Promise<CandidateBlock | undefined> {
    const { chain, processor, verification, runtime } = this.#parts;
    const { header } = block;
    const endMs = runtime.clock.elapsed() + limitMs;
    const transactions = block.transactions.map(withoutSidecar);
    const candidate = unlessStale(chain.store, async (isCurrent) => {
      verifyBody(
        { header, transactions },
        chain.rulesAt(header.number),
        chain.params.at(header.number).deriveShaImpl,
      );
      const blobs = block.transactions.filter(({ blobVersionedHashes }) => blobVersionedHashes !== undefined);
      await retryUntilLoadedAsync(() => {
        for (const transaction of blobs) checkSidecar(transaction, this.#verdicts);
      });
      await verification?.recovery.recover(transactions);
      const candidate = await processor.verify({ header, transactions }, () => {
        if (!isCurrent() || runtime.clock.elapsed() >= endMs) throw ABANDONED;
      });
      return { ...candidate, sidecars: sidecarsOf(block.transactions, (tx) => tx.sidecar) };
    });
    return candidate.catch((error: unknown) => {
      if (error === ABANDONED) return undefined;
      throw error;
    });
  }

  /** Hash of a block of the chain, up to the tip. */
  hashOf(number: bigint): Hash | undefined {
    return this.#parts.chain.ancestry.hash(number);
  }

  /** Calls a listener with each new head. @returns the unsubscribe function */
  onHead(listener: () => void): () => void {
    return this.#parts.chain.onHead(listener);
  }

  /** Executes a draft with the given header without changing anything. */
  preview(header: Header): PreviewedBlock | Promise<PreviewedBlock> {
    return this.#parts.processor.preview(this.#plan(header));
  }

  /** Computes the roots of a preview on the tip. @returns a promise only if it yielded */
  complete(previewed: PreviewedBlock): Block | Promise<Block> {
    return this.#parts.processor.complete(previewed);
  }

  /**
   * The same after the tip has moved, on a branch at the parent.
   * @returns undefined if the parent is no longer in the chain
   */
  completeOnPast(previewed: PreviewedBlock): Promise<Block> | undefined {
    const { number, parentHash } = previewed.header;
    const parent = this.hashOf(number - 1n);
    if (parent === undefined || !equalBytes(parent, parentHash)) return undefined;
    return this.#parts.branches.openAfter(number - 1n, async ({ processor }) =>
      processor.complete(previewed),
    );
  }

  /**
   * Makes a sealed candidate the tip. Resolves when it is committed; it is on disk once `published` resolves.
   * @throws ChainError as `Blockchain.insert`
   */
  insert(candidate: CandidateBlock): Promise<ExecutedBlock> {
    return this.#parts.chain.insert(candidate);
  }

  /** Whether blocks can be written to disk. */
  get isWritable(): boolean {
    return this.#parts.chain.store.health.now.state === "healthy";
  }

  /** @throws ChainError `CLOSED` with the reason, if not */
  checkWritable(): void {
    this.#parts.chain.checkWritable();
  }

  /** Resolves once at most `backlog` committed blocks are waiting to be written; 0 = once all are published. */
  published(backlog = 0): Promise<void> {
    return this.#parts.chain.published(backlog);
  }

  #plan(header: Header): DraftPlan {
    const { pool, settings, author, runtime, bundle, timeLimitMs } = this.#parts;
    const executable = pool.executable(header.baseFee ?? 0n, settings.lowestGasPrice);
    return {
      ...{ header, author, timeLimitMs },
      candidates: bundle?.(executable) ?? executable,
      now: () => runtime.clock.elapsed(),
    };
  }

  /** Removes the transactions of a failed bundle from the pool: they would fail in the next block too. */
  #drop({ bundle: { transactions }, reason }: FailedBundle): void {
    const { pool, logger } = this.#parts;
    const hashes = transactions.map((tx) => bytesToHex(transactionHash(tx)));
    logger.warn("dropped a failed bundle", { hashes, reason });
    pool.remove(transactions);
  }
}

/** The sidecars of a block's blob transactions, by index: the block itself does not contain them. */
function sidecarsOf(
  transactions: readonly Transaction[],
  sidecarOf: (tx: Transaction) => BlobSidecar | undefined,
): ReadonlyMap<number, BlobSidecar> {
  const sidecars = new Map<number, BlobSidecar>();
  transactions.forEach((tx, index) => {
    const sidecar = tx.blobVersionedHashes && sidecarOf(tx);
    if (sidecar !== undefined) sidecars.set(index, sidecar);
  });
  return sidecars;
}

function* permanentlyRejected({ rejected }: DraftBlock) {
  for (const { transaction, reason } of rejected)
    if (!TRANSIENT_REJECTIONS.has(reason.code)) yield transaction;
}
