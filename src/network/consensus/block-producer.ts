import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../ledger/chain/chain.ts";
import type { BlockReference } from "../../ledger/chain/chain-parts.ts";
import type {
  BlockProcessor,
  DraftPlan,
  PreviewedBlock,
} from "../../ledger/chain/execute/block-processor.ts";
import type { CandidateBlock, DraftBlock } from "../../ledger/chain/execute/candidate-block.ts";
import type { BundleFailure, Candidate } from "../../ledger/execution/bundle.ts";
import type { RejectionCode } from "../../ledger/execution/errors.ts";
import { retryUntilLoadedAsync } from "../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Clock } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";

/** What blocks are produced from. */
export interface ProducerParts {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly pool: TransactionPool;
  /** Address of the validator that seals. */
  readonly author: Address;
  /** Read anew for each block: transactions that offer less, in kei per gas, are left out. */
  readonly settings: { readonly lowestGasPrice?: bigint | undefined };
  /** Puts bundles in the place of their parts; absent = there are none. */
  readonly bundle?: ((candidates: Iterable<Transaction>) => Iterable<Candidate>) | undefined;
  /** How long the transactions of a block may run, in milliseconds; absent = as the protocol has it. */
  readonly timeLimitMs?: number | undefined;
  readonly runtime: { readonly clock: Clock };
  readonly logger: Logger;
}

/** Rejections that may pass with the next block: the transaction stays in the pool. */
const PASSING: ReadonlySet<RejectionCode> = new Set([
  "NONCE_TOO_LOW",
  "NONCE_TOO_HIGH",
  "INSUFFICIENT_VALUE",
]);

/** Makes candidates for the next block of what waits in the pool, and inserts the one that an engine has settled on. */
export class BlockProducer {
  readonly #parts: ProducerParts;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  /** The block that the next one follows. */
  get tip(): BlockReference {
    return this.#parts.chain.tip;
  }

  /** Number of transactions that wait for the next block. */
  get waiting(): number {
    return this.#parts.pool.status().pending;
  }

  /** Has a listener told when more waits for the next block. @returns the function that ends it */
  onWaiting(listener: () => void): () => void {
    return this.#parts.pool.onPending(listener);
  }

  /**
   * Drafts the block after the tip. What can be in no block leaves the pool.
   * @param prepare - the header of the block after a parent
   * @param isEmptyWanted - whether a block without transactions is wanted too
   * @returns undefined when there is nothing to put into it
   */
  draft(prepare: (parent: Header) => Header, isEmptyWanted: boolean): Promise<DraftBlock | undefined> {
    const { chain, processor, pool } = this.#parts;
    return chain.exclusive(async () => {
      if (!isEmptyWanted && this.waiting === 0) return undefined;
      const draft = await retryUntilLoadedAsync(() => processor.draft(this.#plan(prepare(chain.tip.header))));
      pool.remove(impossible(draft));
      for (const failure of draft.failed) this.#drop(failure);
      if (draft.block.transactions.length === 0 && !isEmptyWanted) return undefined;
      return { ...draft, sidecars: this.#sidecars(draft.block.transactions) };
    });
  }

  /** Runs what would be drafted under a header, and leaves everything as it is. */
  preview(header: Header): PreviewedBlock | Promise<PreviewedBlock> {
    return this.#parts.processor.preview(this.#plan(header));
  }

  /** A preview of the block after the tip with its roots. */
  complete(previewed: PreviewedBlock): Block {
    return this.#parts.processor.complete(previewed);
  }

  /**
   * Makes a candidate with its seals the tip. Resolves when it is committed; `published` tells when it is on disk.
   * @throws ChainError as `Blockchain.append`
   */
  insert(candidate: CandidateBlock): Promise<ExecutedBlock> {
    return this.#parts.chain.insert(candidate);
  }

  /** Whether the disk takes blocks. */
  get isWritable(): boolean {
    return this.#parts.chain.store.health.now.state === "healthy";
  }

  /** @throws ChainError `CLOSED` while it does not, with the reason */
  checkWritable(): void {
    this.#parts.chain.checkWritable();
  }

  /** Resolves once at most `backlog` committed blocks wait for the disk; 0 = all are public. */
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

  /** Forgets the transactions of a bundle that failed: they would fail in the next block too. */
  #drop({ bundle: { transactions }, message }: BundleFailure): void {
    const { pool, logger } = this.#parts;
    const hashes = transactions.map((tx) => bytesToHex(transactionHash(tx)));
    logger.warn("dropped a bundle that failed", { hashes, reason: message });
    pool.remove(transactions);
  }

  /** What came into the pool beside the blob transactions, which stand in the block without it. */
  #sidecars(transactions: readonly Transaction[]): ReadonlyMap<number, BlobSidecar> {
    const sidecars = new Map<number, BlobSidecar>();
    for (const [index, tx] of transactions.entries()) {
      if (tx.blobVersionedHashes === undefined) continue;
      const sidecar = this.#parts.pool.get(transactionHash(tx))?.sidecar;
      if (sidecar !== undefined) sidecars.set(index, sidecar);
    }
    return sidecars;
  }
}

function* impossible({ rejected }: DraftBlock) {
  for (const { transaction, reason } of rejected) if (!PASSING.has(reason.code)) yield transaction;
}
