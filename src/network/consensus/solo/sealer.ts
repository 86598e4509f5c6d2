import type { BlockProcessor, DraftBlock, DraftPlan } from "../../../ledger/chain/block-processor.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { ConsensusRules } from "../../../ledger/chain/consensus-rules.ts";
import type { BundleFailure, Candidate } from "../../../ledger/execution/bundle.ts";
import type { RejectionCode } from "../../../ledger/execution/errors.ts";
import { overState } from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { BlobSidecar, Transaction } from "../../../protocol/transaction/transaction.ts";
import type { ChainClock } from "./chain-clock.ts";
import type { ProposerSettings } from "./proposer-settings.ts";

/** What a sealer works with. */
export interface SealerParts {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly consensus: Pick<ConsensusRules, "prepare" | "seal">;
  readonly pool: TransactionPool;
  readonly clock: ChainClock;
  readonly settings: Readonly<ProposerSettings>;
  /** Address of the validator that seals. */
  readonly author: Address;
  /** Puts bundles in the place of their parts; absent = there are none. */
  readonly bundle?: ((candidates: Iterable<Transaction>) => Iterable<Candidate>) | undefined;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/** Rejections that may pass with the next block: the transaction stays in the pool. */
const PASSING: ReadonlySet<RejectionCode> = new Set([
  "NONCE_TOO_LOW",
  "NONCE_TOO_HIGH",
  "INSUFFICIENT_VALUE",
]);

/** Makes single blocks of the chain's only validator. */
export class Sealer {
  readonly #parts: SealerParts;

  constructor(parts: SealerParts) {
    this.#parts = parts;
  }

  /**
   * Makes the next block from the pool's executable transactions. Resolves when it is committed; it is on disk, and
   * public, once `Blockchain.published` resolves.
   * @param empty - whether a block without transactions is wanted too
   * @returns the block; undefined when there was nothing to put into it
   */
  seal(empty: boolean, signal: AbortSignal): Promise<ExecutedBlock | undefined> {
    return this.#parts.chain.exclusive(async () => {
      signal.throwIfAborted();
      if (!empty && this.#parts.pool.status().pending === 0) return undefined;
      const draft = await this.#draft();
      this.#parts.pool.remove(impossible(draft));
      for (const failure of draft.failed) this.#drop(failure);
      if (draft.block.transactions.length === 0 && !empty) {
        draft.staged.discard();
        return undefined;
      }
      return this.#commit(draft, signal);
    });
  }

  #draft(): DraftBlock | Promise<DraftBlock> {
    const { chain, processor, consensus, clock } = this.#parts;
    const header = consensus.prepare(chain.tip.header, clock.takeNext(chain.tip.header));
    return overState(() => processor.draft(planOf(header, this.#parts)));
  }

  /** Forgets the transactions of a bundle that failed: they would fail in the next block too. */
  #drop({ bundle: { transactions }, message }: BundleFailure): void {
    const { pool, logger } = this.#parts;
    const hashes = transactions.map((tx) => bytesToHex(transactionHash(tx)));
    logger.warn("dropped a bundle that failed", { hashes, reason: message });
    pool.remove(transactions);
  }

  async #commit(draft: DraftBlock, signal: AbortSignal): Promise<ExecutedBlock> {
    const { chain, consensus, logger } = this.#parts;
    try {
      const block = await consensus.seal(draft.block, signal);
      const sidecars = this.#sidecars(block.transactions);
      const executed = { block, hash: blockHash(block.header), receipts: draft.totals.receipts, sidecars };
      chain.commit(draft.staged, executed);
      logger.debug("sealed block", { number: block.header.number, transactions: block.transactions.length });
      return executed;
    } catch (error) {
      draft.staged.discard();
      throw error;
    }
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

/** What a block with a prepared header is made of, by what is in the pool now. */
export function planOf(header: Header, { pool, settings, author, runtime, bundle }: SealerParts): DraftPlan {
  const executable = pool.executable(header.baseFee ?? 0n, settings.lowestGasPrice);
  return {
    ...{ header, author },
    candidates: bundle?.(executable) ?? executable,
    now: () => runtime.clock.now(),
  };
}

function* impossible({ rejected }: DraftBlock) {
  for (const { transaction, reason } of rejected) if (!PASSING.has(reason.code)) yield transaction;
}
