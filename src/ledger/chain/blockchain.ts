// One class: appending, rewinding and publishing are serialised by one lock and move one head.
import { type Pace, runPaced, runSync } from "../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { nextBaseFee } from "../../protocol/block/base-fee.ts";
import type { Block } from "../../protocol/block/block.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { PlacedReceipt } from "../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../protocol/block/receipt-codec.ts";
import type { ChainConfig, ParamReader, ParamSet } from "../../protocol/params/config.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import { rulesAt } from "../../protocol/params/rules.ts";
import { type Address, equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { stableState } from "../state/stable-state.ts";
import type { Amendment, Row, StagedState, StateChanges, StateReader, StateStore } from "../state/state.ts";
import type { VerifiedBranch } from "./branch/chain-branch.ts";
import type { Chain, ExecutedBlock, HeadEvent, NonceRange, TransactionPosition } from "./chain.ts";
import type { BlockReference, ChainOverrides, ChainParts, TipAncestry } from "./chain-parts.ts";
import { DeferredSenders, mergeSent } from "./deferred-senders.ts";
import { ChainError, staleBranch } from "./errors.ts";
import { type CandidateBlock, executedBlock } from "./execute/candidate-block.ts";
import type { BlockHooks } from "./execute/consensus-rules.ts";
import type { HashedOnTip, ParentChain } from "./execute/parent-chain.ts";
import { HeadListeners } from "./head-listeners.ts";
import { LogIndex, logsOf } from "./logs/log-index.ts";
import { Publisher } from "./publisher.ts";
import { blockRows, RECEIPTS, removalRows, senderRows, unattributedRow } from "./tables/block-rows.ts";
import { BlockTable } from "./tables/block-table.ts";
import { tipAncestry } from "./tip-ancestry.ts";

/** All that a rewind to block `number` needs, read in advance. */
interface PreparedRewind {
  readonly number: bigint;
  /** Newest first. */
  readonly removed: readonly ExecutedBlock[];
  readonly rows: readonly Row[];
}

/**
 * The canonical chain in a database. It has two ends: `tip`, the newest committed block, on which the next one is built
 * right away, and `head`, the newest block on disk. Everyone else sees the chain only up to `head`.
 */
export class Blockchain implements Chain, ParentChain {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly genesisHash: Hash;
  readonly store: StateStore;
  readonly hooks: readonly BlockHooks[];
  /** The chain up to the tip, for building and verifying the next block. */
  readonly ancestry: TipAncestry;
  /** Index of addresses and topics in the logs of the chain, up to the tip. */
  readonly logIndex: LogIndex;
  readonly #table: BlockTable;
  readonly #overrides: ChainOverrides | undefined;
  /** Present only on a development chain, where nonces may be lowered. */
  readonly #sentRow: BlockTable["sentRow"] | undefined;
  readonly #consensus: ChainParts["consensus"];
  readonly #publisher: Publisher;
  readonly #feed: ChainParts["feed"];
  readonly #deferred: DeferredSenders;
  readonly #listeners = new HeadListeners();
  #tip: BlockReference;
  #head: BlockReference;
  /** The base fee last computed, and everything it depends on. */
  #nextFee: { readonly header: Header; readonly params: ParamSet; readonly fee: bigint } | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #generation = 0;
  /** Number of times that existing blocks were removed or their state was changed. */
  #rewrites = 0;

  constructor(parts: ChainParts) {
    this.config = parts.config;
    this.params = parts.params;
    this.genesisHash = parts.genesisHash;
    this.store = parts.store;
    this.hooks = parts.hooks;
    this.#consensus = parts.consensus;
    this.#overrides = parts.overrides;
    this.#table = new BlockTable(parts.store, parts.overrides?.restore);
    this.#sentRow = parts.overrides && this.#table.sentRow;
    this.logIndex = new LogIndex(parts.store, (number) => this.#table.logsAfter(number));
    this.#feed = parts.feed;
    this.#publisher = new Publisher(parts.store, (blocks) => this.#publish(blocks), parts.feed);
    this.#tip = this.#table.reference(parts.store.head?.number ?? 0n);
    const hashOf = (number: bigint) => this.#hashOf(number);
    this.ancestry = tipAncestry({ store: parts.store, table: this.#table, tip: () => this.#tip, hashOf });
    this.#head = this.#tip;
    const { store, recovery } = parts;
    this.#deferred = new DeferredSenders({
      store,
      recovery,
      chainId: this.config.chainId,
      sentRow: this.#sentRow,
    });
    this.#resumeDeferred();
  }

  get head(): BlockReference {
    return this.#head;
  }

  /** Newest committed block; it may not be on disk yet. */
  get tip(): BlockReference {
    return this.#tip;
  }

  /** Hits and misses of the caches of decoded blocks and receipts. */
  get cacheUsage(): BlockTable["usage"] {
    return this.#table.usage;
  }

  rulesAt(number: bigint): Rules {
    return rulesAt(this.config, number);
  }

  header(number: bigint): Header | undefined {
    return this.#isPublic(number) ? this.#table.header(number) : undefined;
  }

  hash(number: bigint): Hash | undefined {
    return this.#isPublic(number) ? this.#hashOf(number) : undefined;
  }

  number(hash: Hash): bigint | undefined {
    const number = this.#table.number(hash);
    return number !== undefined && this.#isPublic(number) ? number : undefined;
  }

  block(number: bigint): Block | undefined {
    return this.#isPublic(number) ? this.#table.block(number) : undefined;
  }

  receipts(number: bigint): readonly Receipt[] | undefined {
    return this.#isPublic(number) ? this.#table.receipts(number) : undefined;
  }

  /** A committed block with its receipts, whether it is on disk or not. */
  committed(number: bigint): ExecutedBlock | undefined {
    return number <= this.#tip.header.number ? this.#table.executed(number) : undefined;
  }

  logs(number: bigint, indexes?: readonly number[]): readonly PlacedLog[] {
    return this.#isPublic(number) ? this.#table.logs(number, indexes) : [];
  }

  transaction(position: TransactionPosition): Transaction | undefined {
    return this.#isPublic(position.blockNumber) ? this.#table.transaction(position) : undefined;
  }

  receipt(position: TransactionPosition): PlacedReceipt | undefined {
    return this.#isPublic(position.blockNumber) ? this.#table.receipt(position) : undefined;
  }

  transactionHashAt(position: TransactionPosition): Hash | undefined {
    return this.#isPublic(position.blockNumber) ? this.#table.transactionHashAt(position) : undefined;
  }

  locate(transactionHash: Hash): TransactionPosition | undefined {
    const position = this.#table.locate(transactionHash);
    return position !== undefined && this.#isPublic(position.blockNumber) ? position : undefined;
  }

  *sent(sender: Address, nonces: NonceRange): Generator<TransactionPosition> {
    const deferred = this.#deferred.isEmpty ? [] : this.#deferred.sent(sender, nonces);
    for (const position of mergeSent(this.#table.sent(sender, nonces), deferred, nonces.newestFirst))
      if (this.#isPublic(position.blockNumber)) yield position;
  }

  /**
   * Resolves once the senders of block `number`, and of all blocks before it, have been recovered and recorded.
   * @throws ChainError `BAD_BLOCK` for an invalid signature, `CLOSED` while the disk fails
   */
  attributed(number: bigint): Promise<void> {
    this.#deferred.start(this.#head.header.number);
    return this.#deferred.until(number);
  }

  transactionHashBySender(senderTransactionHash: Hash): Hash | undefined {
    const hash = this.#table.transactionHashBySender(senderTransactionHash);
    return hash !== undefined && this.locate(hash) !== undefined ? hash : undefined;
  }

  stateAt(number: bigint): StateReader | undefined {
    return this.#isPublic(number) ? this.store.at(number) : undefined;
  }

  latestState(): StateReader {
    if (this.#head === this.#tip) return this.store.latest();
    return this.store.at(this.#head.header.number) ?? this.store.latest();
  }

  get tipState(): StateReader {
    return this.store.latest();
  }

  pinnedTipState(): StateReader {
    return stableState((number) => this.store.at(number), this.#tip.header.number);
  }

  *hashOnTip(changes: StateChanges): Generator<void, HashedOnTip> {
    const staged = yield* this.store.stageInSteps(changes);
    return { root: staged.root, staged };
  }

  nextBaseFee(): bigint {
    const chosen = this.#overrides?.nextBaseFee();
    if (chosen !== undefined) return chosen;
    const { header } = this.#head;
    const number = header.number + 1n;
    if (!this.rulesAt(number).magma) return 0n;
    const params = this.params.at(number);
    if (this.#nextFee?.header !== header || this.#nextFee.params !== params)
      this.#nextFee = { header, params, fee: nextBaseFee(header, params) };
    return this.#nextFee.fee;
  }

  author(header: Header): Address {
    return this.#consensus.author(header);
  }

  onHead(listener: (event: HeadEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  checkWritable(): void {
    this.#publisher.check();
  }

  /** Serialises actions that may move the tip. `rewind` may be called only inside one. */
  exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(action);
    this.#writing = result.catch(() => {});
    return result;
  }

  /**
   * Makes a candidate the tip when its turn comes, writing its rows, those of the extensions and its state as one record. Rows
   * and record are built in time slices, before a single step applies them. Resolves once it is committed; await `published`
   * for the disk.
   * @throws ChainError `UNKNOWN_ANCESTOR` if it does not follow the tip, `STALE_CANDIDATE` if the tip's state is no longer
   * the one it was executed on, or it was drafted in an earlier generation, `CLOSED` while the disk fails
   */
  insert(candidate: CandidateBlock, pace: Pace = new TimeSlice()): Promise<ExecutedBlock> {
    return this.exclusive(async () => {
      this.#publisher.check();
      return runPaced(pace, this.#append(candidate));
    });
  }

  /**
   * Replaces the blocks above the ancestor of a branch with its candidates when its turn comes, if they are more. All is one
   * record: after a crash the chain is either the old one or the new one. The rewind is prepared in time slices; replacing the
   * blocks is one step. Resolves once it is on disk.
   * @returns whether the branch became canonical
   * @throws ChainError `STALE_CANDIDATE` if blocks were removed or states edited since the branch was opened, `CLOSED` while the
   * disk fails; StateError `STATE_PRUNED` if the chain cannot be rewound that far. The chain is then unchanged.
   */
  insertBranch(
    { ancestor, candidates, isCurrent }: VerifiedBranch,
    pace: Pace = new TimeSlice(),
  ): Promise<boolean> {
    return this.exclusive(async () => {
      const { number } = ancestor.header;
      if (number + BigInt(candidates.length) <= this.#tip.header.number) return false;
      await this.published();
      const { durable } = await this.#deferred.whileHeld(async () => {
        const prepared = await runPaced(pace, this.#prepareRewind(number));
        const rewind = await runPaced(pace, this.store.rewindInSteps(number));
        this.#publisher.check();
        if (!isCurrent()) throw staleBranch(number);
        const replace = (): void => {
          void this.#applyRewind(prepared, rewind);
          for (const candidate of candidates) runSync(this.#append(candidate));
        };
        // Wrapped in an object, so that only the change in memory is awaited here, not the disk.
        return { durable: this.store.atomically(replace) };
      });
      await durable;
      return true;
    });
  }

  *#append(candidate: CandidateBlock): Generator<void, ExecutedBlock> {
    const { number, parentHash } = candidate.block.header;
    if (number !== this.#tip.header.number + 1n || !equalBytes(parentHash, this.#tip.hash)) {
      throw new ChainError("UNKNOWN_ANCESTOR", "unknown ancestor", { number });
    }
    if ((candidate.generation ?? this.#generation) !== this.#generation)
      throw new ChainError("STALE_CANDIDATE", `block ${number} was drafted before the chain was reset`, {
        number,
      });
    const staged = this.#currentStage(candidate);
    const executed = executedBlock(candidate);
    const { hash } = executed;
    const ofBlock = yield* blockRows(executed);
    // Rows by sender must be written in block order.
    const isDeferred =
      candidate.block.transactions.length > 0 && (candidate.isUnattributed || !this.#deferred.isEmpty);
    const bySender = isDeferred
      ? [unattributedRow(number)]
      : yield* senderRows(executed.block, this.config.chainId, this.#sentRow);
    const index = yield* this.logIndex.follow(logsOf(executed));
    const rows = [
      ...ofBlock,
      ...bySender,
      ...this.hooks.flatMap((hook) => hook.inserted?.(executed) ?? []),
      ...index.rows,
    ];
    const { durable } = yield* staged.commitInSteps({ number, hash }, rows);
    // Nothing from here on may throw: the block is committed.
    index.done();
    for (const hook of this.hooks) hook.committed?.(executed);
    this.#table.remember(executed);
    if (isDeferred) this.#deferred.add(executed);
    this.#tip = { header: executed.block.header, hash };
    const stored = this.#feed && ofBlock.find(({ table }) => table === RECEIPTS)?.value;
    const fed = this.#feed?.committed(executed, candidate.changes, stored ?? undefined);
    this.#publisher.add(executed, fed === undefined ? durable : Promise.all([durable, fed]));
    return executed;
  }

  /** The candidate's changes, staged on the tip's state: anew if that was not, or is no longer, the newest. */
  #currentStage({ block: { header }, changes, staged }: CandidateBlock): StagedState {
    if (staged?.isCurrent) return staged;
    const restaged = this.store.stage(changes);
    if (equalBytes(restaged.root, header.stateRoot)) return restaged;
    const text = `the state on which block ${header.number} was executed has changed`;
    throw new ChainError("STALE_CANDIDATE", text, { number: header.number });
  }

  /** Resolves once at most `backlog` committed blocks are still waiting for the disk; 0 = all are public. */
  published(backlog = 0): Promise<void> {
    return this.#publisher.until(backlog);
  }

  /**
   * Rewinds to block `number`, removing every block above; the next head event lists them. The rewind is prepared in time
   * slices, before a single step applies it. To be called inside `exclusive`.
   * @returns the removed blocks, newest first
   * @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED`; StateError `STATE_STALE` if the state changes meanwhile
   */
  async rewind(number: bigint, pace: Pace = new TimeSlice()): Promise<readonly ExecutedBlock[]> {
    await this.published();
    return this.#deferred.whileHeld(async () => {
      const prepared = await runPaced(pace, this.#prepareRewind(number));
      const rewind = await runPaced(pace, this.store.rewindInSteps(number));
      // Checked before anything in memory changes, as the store does afterwards.
      this.store.health.check();
      await this.#applyRewind(prepared, rewind);
      return prepared.removed;
    });
  }

  get rewrites(): number {
    return this.#rewrites;
  }

  /**
   * @returns a function that tells whether the blocks and states of the chain so far are unchanged since this call; once false,
   * it stays false. Blocks added later do not matter.
   */
  watchPast(): () => boolean {
    const rewrites = this.#rewrites;
    return () => rewrites === this.#rewrites;
  }

  /** Number of calls of `beginGeneration` so far. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Refuses all drafts and branches begun before now, even if tip and state are unchanged: they contain transactions and
   * settings that a reset or a revert to a snapshot has undone. To be called inside `exclusive`.
   */
  beginGeneration(): void {
    this.#generation++;
    this.#rewrites++;
  }

  /** Announces the head if it was reached by rewinding and no block has been built on it yet. */
  announceRewind(): void {
    if (this.#listeners.isBehind) this.announce();
  }

  /** Changes the state after the tip without a block; development chains only. Resolves once the change is on disk. */
  async amend(changes: StateChanges, pace: Pace = new TimeSlice()): Promise<Amendment> {
    await this.published();
    const { bytes, durable, undo } = await this.store.amendAtPace(changes, pace);
    this.#rewrites++;
    this.#feed?.amended(changes);
    await durable;
    return {
      ...{ bytes, durable },
      undo: () => {
        this.#rewrites++;
        return undo();
      },
    };
  }

  /**
   * Reloads the head after the database was replaced by another one with the same configuration. To be called inside
   * `exclusive`, when no block is waiting for the disk.
   */
  restart(): void {
    this.#rewrites++;
    this.#table.forgetAll();
    this.#deferred.dropAbove(-1n);
    this.logIndex.reload();
    this.#listeners.forget();
    this.#tip = this.#table.reference(this.store.head?.number ?? 0n);
    this.#head = this.#tip;
    this.#resumeDeferred();
    for (const hook of this.hooks) hook.rewind?.(this.#tip.header, this.#tip.hash);
  }

  /** Resumes with the blocks whose senders had not been recovered when the database was closed. */
  #resumeDeferred(): void {
    for (const number of this.#table.unattributed())
      this.#deferred.add(this.#table.executed(number) as ExecutedBlock);
  }

  /** Notifies listeners that the state at the head, or the base fee of the next block, was changed without a block. */
  announce(): void {
    this.#listeners.emit([]);
  }

  /** Reads the blocks that a rewind removes. @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED` */
  *#prepareRewind(number: bigint): Generator<void, PreparedRewind> {
    const from = this.#tip.header.number;
    if (number < 0n || number > from) {
      throw new ChainError("OUT_OF_RANGE", `no block ${number} to rewind to`, { head: from });
    }
    if (this.store.at(number) === undefined) {
      throw new ChainError("STATE_PRUNED", `state of block ${number} is not available`, { number });
    }
    const removed: ExecutedBlock[] = [];
    for (let n = from; n > number; n--) {
      removed.push(this.#table.executed(n) as ExecutedBlock);
      yield;
    }
    const isDeferred = (each: bigint) => this.#deferred.has(each);
    return {
      number,
      removed,
      rows: yield* removalRows(removed, this.config.chainId, isDeferred, this.#sentRow),
    };
  }

  /** Rewinds in memory. @returns a promise that resolves once the rewind is on disk */
  #applyRewind(
    { number, removed, rows: ofBlocks }: PreparedRewind,
    rewind: StateStore["rewind"],
  ): Promise<void> {
    const from = this.#tip.header.number;
    this.#rewrites++;
    const target = this.#table.reference(number);
    const rows = this.hooks.flatMap((hook) => hook.rewind?.(target.header, target.hash) ?? []);
    const index = this.logIndex.leave(Number(number), removed.map(logsOf));
    const { durable } = rewind({ number, hash: target.hash }, [...rows, ...ofBlocks, ...index.rows]);
    this.#table.forgetAbove(number, from);
    this.#deferred.dropAbove(number);
    index.done();
    this.#publisher.dropAbove(number);
    this.#listeners.record(removed.filter(({ block }) => this.#isPublic(block.header.number)));
    this.#tip = target;
    this.#head = target;
    this.#feed?.rewound(target);
    return durable;
  }

  #hashOf(number: bigint): Hash | undefined {
    return this.#overrides?.ancestorHash?.(number) ?? this.#table.hash(number);
  }

  #isPublic(number: bigint): boolean {
    return number <= this.#head.header.number;
  }

  #publish(blocks: readonly ExecutedBlock[]): void {
    const newest = blocks[blocks.length - 1] as ExecutedBlock;
    this.#head =
      newest.hash === this.#tip.hash ? this.#tip : { header: newest.block.header, hash: newest.hash };
    this.#listeners.emit(blocks);
    this.#deferred.start(this.#head.header.number);
  }
}
