import type { Clock, Timers } from "../../../platform/runtime/runtime.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { SenderRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { DatabaseError } from "../../database/errors.ts";
import { StateError } from "../../state/errors.ts";
import { unlessStale } from "../../state/unless-stale.ts";
import type { Blockchain } from "../blockchain.ts";
import type { Branches } from "../branch/branches.ts";
import type { VerifiedBranch } from "../branch/chain-branch.ts";
import { ChainError, STALE_CANDIDATE_CODES, unknownAncestor } from "../errors.ts";
import type { BlockProcessor } from "../execute/block-processor.ts";
import { verifyBody } from "../execute/body-rules.ts";
import type { CandidateBlock } from "../execute/candidate-block.ts";
import type { ConsensusRules } from "../execute/consensus-rules.ts";
import { BadBlocks } from "../tables/bad-blocks.ts";
import { batches } from "./batches.ts";
import { readAhead } from "./read-ahead.ts";
import { SideBranch } from "./side-branch.ts";

/** Batches recovered ahead of the one being executed, so that neither side stalls if the other is briefly slow. */
const BATCHES_AHEAD = 3;
/** Blocks that may be waiting for the disk before the import pauses. */
const MAX_BACKLOG = 64;
/** Headers checked together as far as possible: some 15 ms. */
const HEADERS_AHEAD = 32;
/** Milliseconds of work after which other tasks get a turn. */
const TURN_MS = 30;

/** Reason for abandoning a block that is executed on what is no longer the newest state. */
const STALE = new Error("the state under this block has changed");
/** Times that a block or branch is executed anew because the state under it has changed. */
const MAX_ATTEMPTS = 10;

/** Dependencies of an importer. */
export interface ImporterParts {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly branches: Branches;
  readonly consensus: Pick<ConsensusRules, "verifyHeader" | "verifyAhead">;
  readonly recovery: SenderRecovery;
  /** Recovery for many blocks with transactions not seen before; absent = `recovery`. */
  readonly bulkRecovery?: SenderRecovery;
  readonly runtime: { readonly clock: Clock; readonly timers: Timers };
}

/** Progress of an import. */
export interface ImportProgress {
  /** Blocks that were added. */
  readonly imported: number;
  /** Blocks skipped because the chain already had them. */
  readonly skipped: number;
  readonly transactions: number;
  /** Number of the newest block. */
  readonly number: bigint;
}

/** Cancellation and progress of an import. */
export interface ImportOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

interface PreparedBatch {
  readonly batch: readonly Block[];
  /** The blocks of the batch that the chain does not have yet. */
  readonly fresh: readonly Block[];
  /** Resolves once the senders of the fresh blocks are recovered. */
  readonly recovered: Promise<void>;
}

/** Imports blocks built elsewhere: checks all rules, executes them and makes them canonical. */
export class BlockImporter {
  readonly #parts: ImporterParts;
  readonly #badBlocks: BadBlocks;
  /** The branch with which the last import ended that is not yet longer than the chain; another import may continue it. */
  #left = new SideBranch();

  constructor(parts: ImporterParts) {
    this.#parts = parts;
    this.#badBlocks = new BadBlocks(parts.chain.store);
  }

  /** Refused blocks, highest number first. */
  get badBlocks(): BadBlocks {
    return this.#badBlocks;
  }

  /**
   * Adds blocks in ascending order. Blocks already in the chain are skipped, so an interrupted import can be repeated. Several
   * imports may run at once, each with a branch of its own, and while blocks are sealed.
   * Resolves when all are on disk.
   * @throws ChainError, ConsensusError, ExecutionError; `details` identify block, transaction and field
   */
  async importAll(blocks: AsyncIterable<Block>, options: ImportOptions = {}): Promise<ImportProgress> {
    const { chain } = this.#parts;
    let progress: ImportProgress = {
      imported: 0,
      skipped: 0,
      transactions: 0,
      number: chain.tip.header.number,
    };
    const side = new SideBranch();
    for await (const { batch, fresh, recovered } of readAhead(this.#prepared(blocks), BATCHES_AHEAD)) {
      options.signal?.throwIfAborted();
      await recovered;
      progress = { ...progress, skipped: progress.skipped + batch.length - fresh.length };
      progress = await this.#importBatch(fresh, progress, side, options.signal);
      options.onProgress?.(progress);
    }
    if (!side.isEmpty) this.#left = side;
    await chain.published();
    return progress;
  }

  /**
   * Adds the block that follows the tip. Resolves once it is committed; await `Blockchain.published` for the disk. Senders are
   * recovered only if the header is valid.
   * @throws ChainError, ConsensusError, ExecutionError; with `details.isDecided` if the header is valid, including the
   * validators' seals, but the block is not
   */
  async import(block: Block): Promise<void> {
    this.#checkParent(block);
    this.#orRefused(block, () =>
      this.#parts.consensus.verifyHeader(block.header, this.#parts.chain.tip.header),
    );
    await this.#parts.recovery.recover(block.transactions);
    await this.#insert(block);
  }

  /**
   * Makes a side branch canonical, as one record, if it is longer than what it replaces. Its blocks are checked and executed
   * before, without the chain's lock. If one of them is refused, the chain stays unchanged.
   * @param branch - ascending; the parent of the first block is canonical
   * @returns whether the branch became canonical
   * @throws as `import`; ChainError `STALE_CANDIDATE` if the chain keeps being rewound or edited meanwhile; StateError
   * `STATE_PRUNED` if it cannot be rewound that far
   */
  async importBranch(branch: readonly Block[]): Promise<boolean> {
    const first = branch[0];
    if (first === undefined) return false;
    this.#checkAncestor(first);
    const { chain, recovery } = this.#parts;
    const isLonger = () => first.header.number - 1n + BigInt(branch.length) > chain.tip.header.number;
    if (!isLonger()) return false;
    await recovery.recover(branch.flatMap(({ transactions }) => transactions));
    for (let attempt = 1; isLonger(); attempt++) {
      try {
        return await chain.insertBranch(await this.#verifyBranch(first, branch));
      } catch (error) {
        const isStale = error instanceof ChainError && error.code === "STALE_CANDIDATE";
        if (!isStale || attempt === MAX_ATTEMPTS) throw error;
      }
    }
    return false;
  }

  async #verifyBranch(first: Block, branch: readonly Block[]): Promise<VerifiedBranch> {
    this.#checkAncestor(first);
    return this.#parts.branches.openAfter(first.header.number - 1n, async (side) => {
      for (const block of branch) {
        await side.add(block).catch((error: unknown) => {
          throw this.#refused(block, blockHash(block.header), error);
        });
      }
      return side;
    });
  }

  /** @throws ChainError `UNKNOWN_ANCESTOR` if the parent of a branch is not canonical */
  #checkAncestor(first: Block): void {
    const parent = this.#parts.chain.ancestry.hash(first.header.number - 1n);
    if (parent === undefined || !equalBytes(parent, first.header.parentHash)) throw unknownAncestor(first);
  }

  /** Batches of blocks whose senders are being recovered. */
  async *#prepared(blocks: AsyncIterable<Block>): AsyncGenerator<PreparedBatch> {
    const { recovery, bulkRecovery = recovery } = this.#parts;
    for await (const batch of batches(blocks)) {
      const fresh = batch.filter((block) => !this.#isKnown(block));
      const recovered = bulkRecovery.recover(fresh.flatMap(({ transactions }) => transactions));
      // A failure surfaces when the batch is executed; until then it must not count as unhandled.
      recovered.catch(() => {});
      yield { batch, fresh, recovered };
    }
  }

  async #importBatch(
    batch: readonly Block[],
    before: ImportProgress,
    side: SideBranch,
    signal: AbortSignal | undefined,
  ): Promise<ImportProgress> {
    const { chain, consensus, runtime } = this.#parts;
    let { imported, skipped, transactions, number } = before;
    let turn = runtime.clock.elapsed();
    for (const [i, block] of batch.entries()) {
      signal?.throwIfAborted();
      if (i % HEADERS_AHEAD === 0)
        consensus.verifyAhead?.(batch.slice(i, i + HEADERS_AHEAD).map(({ header }) => header));
      const added = await this.#appendOrHold(block, side);
      if (added === undefined) skipped++;
      for (const { header, transactions: joined } of added ?? []) {
        imported++;
        transactions += joined.length;
        number = header.number;
      }
      await chain.published(MAX_BACKLOG);
      if (runtime.clock.elapsed() - turn < TURN_MS) continue;
      await new Promise<void>((resolve) => runtime.timers.schedule(0, resolve));
      turn = runtime.clock.elapsed();
    }
    return { imported, skipped, transactions, number };
  }

  /**
   * Appends a block to the chain, or to a side branch that becomes canonical once longer. What the chain ends with is looked at
   * again whenever it has changed meanwhile.
   * @returns the blocks that joined; undefined if the chain has the block by now
   */
  async #appendOrHold(block: Block, side: SideBranch): Promise<readonly Block[] | undefined> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (this.#isKnown(block)) return undefined;
      if (this.#joinsBranch(block, side)) return this.#hold(block, side);
      if (await this.#inserted(block)) return [block];
    }
    throw keepsChanging(block);
  }

  async #hold(block: Block, side: SideBranch): Promise<readonly Block[]> {
    side.add(block);
    if (block.header.number <= this.#parts.chain.tip.header.number) return [];
    const branch = side.take();
    if (await this.importBranch(branch)) return branch;
    // The chain has grown meanwhile: the branch may yet become longer.
    side.hold(branch);
    return [];
  }

  /**
   * Whether a block extends the waiting branch, or starts one on a parent below the tip. The first block is checked right
   * away, so that a damaged block is not mistaken for a branch; the others are checked when the branch is imported.
   * @throws ChainError
   */
  #joinsBranch(block: Block, side: SideBranch): boolean {
    const { chain, consensus } = this.#parts;
    const { header } = block;
    if (side.isContinuedBy(block)) return true;
    if (this.#left.isContinuedBy(block)) {
      side.hold(this.#left.take());
      return true;
    }
    if (header.number > chain.tip.header.number) return false;
    const parent = chain.ancestry.header(header.number - 1n);
    if (parent === undefined || !equalBytes(blockHash(parent), header.parentHash)) return false;
    try {
      consensus.verifyHeader(header, parent);
      verifyBody(block, chain.rulesAt(header.number), chain.params.at(header.number).deriveShaImpl);
    } catch (error) {
      throw this.#refused(block, blockHash(header), error);
    }
    side.take();
    return true;
  }

  #isKnown({ header }: Block): boolean {
    const known = this.#parts.chain.ancestry.hash(header.number);
    return known !== undefined && equalBytes(known, blockHash(header));
  }

  /** Executes the block that follows the tip, and inserts it; anew if the tip or its state changes meanwhile. */
  async #insert(block: Block): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) if (await this.#inserted(block)) return;
    throw keepsChanging(block);
  }

  async #verify(block: Block, isCurrent: () => boolean): Promise<CandidateBlock> {
    this.#checkParent(block);
    this.#orRefused(block, () => this.#checkHeader(block));
    try {
      this.#checkBody(block);
      return await this.#parts.processor.verify(block, () => {
        if (!isCurrent()) throw STALE;
      });
    } catch (error) {
      throw isCurrent() ? this.#refused(block, blockHash(block.header), error, { isDecided: true }) : error;
    }
  }

  /** @returns false if the tip or its state has changed since the block was executed */
  async #inserted(block: Block): Promise<boolean> {
    const { chain } = this.#parts;
    const candidate = await unlessStale(chain.store, (isCurrent) => this.#verify(block, isCurrent));
    if (candidate === undefined) return false;
    try {
      await chain.insert(candidate);
      return true;
    } catch (error) {
      if (error instanceof ChainError && STALE_CANDIDATE_CODES.has(error.code)) return false;
      throw this.#refused(block, blockHash(block.header), error, { isDecided: true });
    }
  }

  #orRefused(block: Block, check: () => void): void {
    try {
      check();
    } catch (error) {
      throw this.#refused(block, blockHash(block.header), error);
    }
  }

  #checkParent(block: Block): void {
    const { header } = block;
    const { tip } = this.#parts.chain;
    const follows = header.number === tip.header.number + 1n && equalBytes(header.parentHash, tip.hash);
    if (!follows) throw unknownAncestor(block);
  }

  #checkHeader({ header }: Block): void {
    const { chain, consensus } = this.#parts;
    consensus.verifyHeader(header, chain.tip.header);
  }

  #checkBody(block: Block): void {
    const { chain } = this.#parts;
    const { header } = block;
    verifyBody(block, chain.rulesAt(header.number), chain.params.at(header.number).deriveShaImpl);
  }

  /** Records a block that is at fault. @returns the error with details of the block added; another error as it is */
  #refused(block: Block, hash: Hash, error: unknown, more: { readonly isDecided?: true } = {}): unknown {
    if (!isBlockFault(error)) return error;
    // A block from the future becomes valid later.
    if (error.code !== "FUTURE_BLOCK") this.#badBlocks.add({ hash, block, reason: error.message });
    const index = error.details["index"] ?? error.details["transaction"];
    const transaction = typeof index === "number" ? block.transactions[index] : undefined;
    return new ChainError(
      "BAD_BLOCK",
      error.message,
      {
        ...error.details,
        ...more,
        number: block.header.number,
        hash: bytesToHex(hash),
        ...(transaction && { transactionHash: bytesToHex(transactionHash(transaction)) }),
      },
      { cause: error },
    );
  }
}

function keepsChanging({ header: { number } }: Block): ChainError {
  return new ChainError("STALE_CANDIDATE", `the state under block ${number} keeps being edited`, { number });
}

/** Whether an error is the fault of the block that was being judged, and not a condition of this node. */
function isBlockFault(error: unknown): error is NodeError {
  if (!(error instanceof NodeError) || error instanceof StateError || error instanceof DatabaseError)
    return false;
  return error instanceof ChainError ? error.code === "BAD_BLOCK" : error.code !== "HISTORY_MISSING";
}
