// One class: appending, rewinding and publishing are serialised by one lock and move one head.
import { atOnce, atPace, type Pace } from "../../platform/runtime/turns/pace.ts";
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
import type { Amendment, Row, StagedState, StateChanges, StateReader, StateStore } from "../state/state.ts";
import type { Chain, ExecutedBlock, HeadEvent, NonceRange, TransactionPlace } from "./chain.ts";
import type { BlockReference, ChainOverrides, ChainParts, TipAncestry } from "./chain-parts.ts";
import { ChainError } from "./errors.ts";
import { type CandidateBlock, executedBlock } from "./execute/candidate-block.ts";
import type { BlockHooks } from "./execute/consensus-rules.ts";
import { HeadListeners } from "./head-listeners.ts";
import { LateSenders, mergeSent } from "./late-senders.ts";
import { LogIndex, logsOf } from "./logs/log-index.ts";
import { Publisher } from "./publisher.ts";
import { blockRows, RECEIPTS, removalRows, senderRows, unattributedRow } from "./tables/block-rows.ts";
import { BlockTable } from "./tables/block-table.ts";
import { tipAncestry } from "./tip-ancestry.ts";

/** What a rewind to block `number` needs. */
interface WayBack {
  readonly number: bigint;
  /** Newest first. */
  readonly removed: readonly ExecutedBlock[];
  readonly rows: readonly Row[];
}

/**
 * The canonical chain in a database. It has two ends: `tip`, the newest committed block, on which the next one is built
 * right away, and `head`, the newest block that is on disk. Everything outside sees the chain only up to `head`.
 */
export class Blockchain implements Chain {
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
  /** Present only on a development chain, where nonces may be set back. */
  readonly #sentRow: BlockTable["sentRow"] | undefined;
  readonly #consensus: ChainParts["consensus"];
  readonly #publisher: Publisher;
  readonly #feed: ChainParts["feed"];
  readonly #late: LateSenders;
  readonly #listeners = new HeadListeners();
  #tip: BlockReference;
  #head: BlockReference;
  /** The base fee last computed, and everything it depends on. */
  #nextFee: { readonly header: Header; readonly params: ParamSet; readonly fee: bigint } | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #generation = 0;

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
    this.#late = new LateSenders({ store, recovery, chainId: this.config.chainId, sentRow: this.#sentRow });
    this.#resumeLate();
  }

  get head(): BlockReference {
    return this.#head;
  }

  /** Newest committed block; it may not be on disk yet. */
  get tip(): BlockReference {
    return this.#tip;
  }

  /** Hits and misses of the caches of decoded blocks and receipts. */
  get cacheUse(): BlockTable["use"] {
    return this.#table.use;
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

  logs(number: bigint, places?: readonly number[]): readonly PlacedLog[] {
    return this.#isPublic(number) ? this.#table.logs(number, places) : [];
  }

  transaction(place: TransactionPlace): Transaction | undefined {
    return this.#isPublic(place.blockNumber) ? this.#table.transaction(place) : undefined;
  }

  receipt(place: TransactionPlace): PlacedReceipt | undefined {
    return this.#isPublic(place.blockNumber) ? this.#table.receipt(place) : undefined;
  }

  transactionHashAt(place: TransactionPlace): Hash | undefined {
    return this.#isPublic(place.blockNumber) ? this.#table.transactionHashAt(place) : undefined;
  }

  place(transactionHash: Hash): TransactionPlace | undefined {
    const place = this.#table.place(transactionHash);
    return place !== undefined && this.#isPublic(place.blockNumber) ? place : undefined;
  }

  *sent(sender: Address, nonces: NonceRange): Generator<TransactionPlace> {
    const late = this.#late.isEmpty ? [] : this.#late.sent(sender, nonces);
    for (const place of mergeSent(this.#table.sent(sender, nonces), late, nonces.newestFirst))
      if (this.#isPublic(place.blockNumber)) yield place;
  }

  /**
   * Resolves once the senders of block `number`, which came without them, and of all blocks before it are recovered and recorded.
   * @throws ChainError `BAD_BLOCK` for an invalid signature, `CLOSED` while the disk fails
   */
  attributed(number: bigint): Promise<void> {
    this.#late.start(this.#head.header.number);
    return this.#late.until(number);
  }

  transactionHashBySender(senderTransactionHash: Hash): Hash | undefined {
    const hash = this.#table.transactionHashBySender(senderTransactionHash);
    return hash !== undefined && this.place(hash) !== undefined ? hash : undefined;
  }

  stateAt(number: bigint): StateReader | undefined {
    return this.#isPublic(number) ? this.store.at(number) : undefined;
  }

  latestState(): StateReader {
    if (this.#head === this.#tip) return this.store.latest();
    return this.store.at(this.#head.header.number) ?? this.store.latest();
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

  /** Serialises actions that may move the tip. `append`, `rewind` and `reorganise` may be called only inside one. */
  exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(action);
    this.#writing = result.catch(() => {});
    return result;
  }

  /**
   * Makes a candidate the tip when its turn comes. Resolves once it is committed; await `published` for the disk.
   * @throws as `append`
   */
  insert(candidate: CandidateBlock): Promise<ExecutedBlock> {
    return this.exclusive(() => this.appendInTurns(candidate));
  }

  /**
   * Makes a candidate the tip at once, writing its rows, those of the extensions and its state as one record. To be called
   * inside `exclusive`.
   * @throws ChainError `UNKNOWN_ANCESTOR` when it does not follow the tip, `STALE_CANDIDATE` when the tip's
   * state is no longer the one it was executed on, or its generation is over
   */
  append(candidate: CandidateBlock): ExecutedBlock {
    return atOnce(this.#appendInSteps(candidate));
  }

  /** Like `append`: rows and record are built in turns with other work, and what follows is one step. */
  async appendInTurns(candidate: CandidateBlock, pace: Pace = new TimeSlice()): Promise<ExecutedBlock> {
    return atPace(pace, this.#appendInSteps(candidate));
  }

  *#appendInSteps(candidate: CandidateBlock): Generator<void, ExecutedBlock> {
    const { number, parentHash } = candidate.block.header;
    this.#publisher.check();
    if (number !== this.#tip.header.number + 1n || !equalBytes(parentHash, this.#tip.hash)) {
      throw new ChainError("UNKNOWN_ANCESTOR", "unknown ancestor", { number });
    }
    if ((candidate.generation ?? this.#generation) !== this.#generation)
      throw new ChainError("STALE_CANDIDATE", `block ${number} was drafted before the chain was set back`, {
        number,
      });
    const staged = this.#currentStage(candidate);
    const executed = executedBlock(candidate);
    const { hash } = executed;
    const ofBlock = yield* blockRows(executed);
    // Rows by sender are written in the order of the blocks.
    const isLate =
      candidate.block.transactions.length > 0 && (candidate.isUnattributed || !this.#late.isEmpty);
    const bySender = isLate
      ? [unattributedRow(number)]
      : yield* senderRows(executed.block, this.config.chainId, this.#sentRow);
    const index = this.logIndex.follow(logsOf(executed));
    const rows = [
      ...ofBlock,
      ...bySender,
      ...this.hooks.flatMap((hook) => hook.inserted?.(executed) ?? []),
      ...index.rows,
    ];
    const { durable } = yield* staged.commitInSteps({ number, hash }, rows);
    index.done();
    this.#table.remember(executed);
    if (isLate) this.#late.add(executed);
    this.#tip = { header: executed.block.header, hash };
    const stored = this.#feed && ofBlock.find(({ table }) => table === RECEIPTS)?.value;
    const fed = this.#feed?.committed(executed, candidate.changes, stored ?? undefined);
    this.#publisher.add(executed, fed === undefined ? durable : Promise.all([durable, fed]));
    return executed;
  }

  /** The candidate's changes, hashed on the tip's state; the tip may have moved away and back since execution. */
  #currentStage({ block: { header }, changes, staged }: CandidateBlock): StagedState {
    if (staged.isCurrent) return staged;
    const anew = this.store.stage(changes);
    if (equalBytes(anew.root, header.stateRoot)) return anew;
    const text = `the state that block ${header.number} was run on has changed`;
    throw new ChainError("STALE_CANDIDATE", text, { number: header.number });
  }

  /** Resolves once at most `backlog` committed blocks are still waiting for the disk; 0 = all are public. */
  published(backlog = 0): Promise<void> {
    return this.#publisher.until(backlog);
  }

  /**
   * Rewinds to block `number`; every block above leaves the chain. The next head event lists them. To be called inside
   * `exclusive`: the blocks are read, their rows made and their state hashed in turns with others, and what follows is one step.
   * @returns the removed blocks, newest first
   * @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED`; StateError `STATE_STALE` when the state is changed meanwhile
   */
  async rewind(number: bigint, pace: Pace = new TimeSlice()): Promise<readonly ExecutedBlock[]> {
    await this.published();
    return this.#late.whileHeld(async () => {
      const way = await atPace(pace, this.#wayBack(number));
      const rewind = await atPace(pace, this.store.rewindInSteps(number));
      await this.#goBack(way, rewind);
      return way.removed;
    });
  }

  /**
   * Rewinds to block `number` and replaces the blocks above it with a branch, as one record: after a crash the chain is
   * either the old one or the new one. If a block of the branch is refused, the chain stays unchanged.
   * @param insert - verifies a block and commits it
   * @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED`, and what `insert` throws
   */
  async reorganise(number: bigint, branch: readonly Block[], insert: (block: Block) => void): Promise<void> {
    await this.published();
    let refusal = undefined as { readonly error: unknown } | undefined;
    const replace = (): void => {
      const way = atOnce(this.#wayBack(number));
      void this.#goBack(way);
      try {
        for (const block of branch) insert(block);
      } catch (error) {
        refusal = { error };
        void this.#goBack(atOnce(this.#wayBack(number)));
        for (const { block } of way.removed.toReversed()) insert(block);
      }
    };
    // in an object: only the change in memory is waited for, not the disk
    const { durable } = await this.#late.whileHeld(() => ({ durable: this.store.atomically(replace) }));
    if (refusal === undefined) return durable;
    // The chain left its head and returned to it before any listener was told.
    this.#publisher.dropAbove(-1n);
    this.#listeners.forget();
    this.#head = this.#tip;
    await durable;
    throw refusal.error;
  }

  /** Counts how often `beginGeneration` was called. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Refuses all drafts begun before now, even if tip and state have stayed the same: they hold transactions and settings
   * that a reset or a snapshot has taken back. To be called inside `exclusive`.
   */
  beginGeneration(): void {
    this.#generation++;
  }

  /** Announces a head that was reached by rewinding and has nothing built on it. */
  announceRewind(): void {
    if (this.#listeners.isBehind) this.announce();
  }

  /** Changes the state after the tip without a block; development chains only. Resolves once the change is on disk. */
  async amend(changes: StateChanges, pace: Pace = new TimeSlice()): Promise<Amendment> {
    await this.published();
    const amendment = await this.store.amendAtPace(changes, pace);
    this.#feed?.amended(changes);
    await amendment.durable;
    return amendment;
  }

  /**
   * Reloads the head after the database was replaced by another one of the same configuration. To be called inside
   * `exclusive`, when nothing waits for the disk.
   */
  restart(): void {
    this.#table.forgetAll();
    this.#late.dropAbove(-1n);
    this.logIndex.reload();
    this.#listeners.forget();
    this.#tip = this.#table.reference(this.store.head?.number ?? 0n);
    this.#head = this.#tip;
    this.#resumeLate();
    for (const hook of this.hooks) hook.rewind?.(this.#tip.header, this.#tip.hash);
  }

  /** Blocks whose senders had not been recovered when the database was closed. */
  #resumeLate(): void {
    for (const number of this.#table.unattributed())
      this.#late.add(this.#table.executed(number) as ExecutedBlock);
  }

  /** Notifies listeners that the state at the head, or the base fee of the next block, was changed by hand. */
  announce(): void {
    this.#listeners.emit([]);
  }

  /** Reads what leaves the chain in a rewind to a block. @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED` */
  *#wayBack(number: bigint): Generator<void, WayBack> {
    const from = this.#tip.header.number;
    if (number < 0n || number > from) {
      throw new ChainError("OUT_OF_RANGE", `no block ${number} to go back to`, { head: from });
    }
    if (this.store.at(number) === undefined) {
      throw new ChainError("STATE_PRUNED", `state of block ${number} is not available`, { number });
    }
    const removed: ExecutedBlock[] = [];
    for (let n = from; n > number; n--) {
      removed.push(this.#table.executed(n) as ExecutedBlock);
      yield;
    }
    const isLate = (each: bigint) => this.#late.has(each);
    return { number, removed, rows: yield* removalRows(removed, this.config.chainId, isLate, this.#sentRow) };
  }

  /** Rewinds in memory. @returns a promise that resolves once the disk has followed */
  #goBack(
    { number, removed, rows: ofBlocks }: WayBack,
    rewind: StateStore["rewind"] = (to, rows) => this.store.rewind(to, rows),
  ): Promise<void> {
    const from = this.#tip.header.number;
    const target = this.#table.reference(number);
    const rows = this.hooks.flatMap((hook) => hook.rewind?.(target.header, target.hash) ?? []);
    const index = this.logIndex.leave(Number(number), removed.map(logsOf));
    const { durable } = rewind({ number, hash: target.hash }, [...rows, ...ofBlocks, ...index.rows]);
    this.#table.forgetAbove(number, from);
    this.#late.dropAbove(number);
    index.done();
    this.#publisher.dropAbove(number);
    this.#listeners.note(removed.filter(({ block }) => this.#isPublic(block.header.number)));
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
    this.#late.start(this.#head.header.number);
  }
}
