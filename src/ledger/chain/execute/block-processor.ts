// One class: building, previewing and verifying a block run the same phases under the same timers.
import type { BlockLane } from "../../../platform/runtime/turns/time-slice.ts";
import { overWaits, type Waits } from "../../../platform/runtime/waits.ts";
import type { Timer } from "../../../platform/telemetry/metrics.ts";
import { maxBlobGas } from "../../../protocol/block/blob-gas.ts";
import type { Block } from "../../../protocol/block/block.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { deriveShaInSteps } from "../../../protocol/block/list-root.ts";
import { encodeReceiptInSteps } from "../../../protocol/block/receipt-codec.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { type Address, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import type { Evm } from "../../evm/evm.ts";
import { type BlockTotals, executeBlock } from "../../execution/block/block.ts";
import { type BuiltBlock, buildBlock } from "../../execution/block/build.ts";
import type { TransactionOrBundle } from "../../execution/block/bundle.ts";
import {
  type BlockEnvironment,
  computationLimitAt,
  createBlockContext,
} from "../../execution/environment.ts";
import {
  type BlockExecutor,
  type BlockTurns,
  guardedExecutor,
  UNINTERRUPTED,
} from "../../execution/jobs/block-executor.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { StateChanges, StateReader } from "../../state/state.ts";
import { StateOverlay } from "../../state/state-overlay.ts";
import { badBlock, plainHex } from "./body-rules.ts";
import type { CandidateBlock, DraftBlock } from "./candidate-block.ts";
import type { HashedOnTip, ParentChain } from "./parent-chain.ts";

/** A block executed on the tip without being hashed: complete except for roots and seals. */
export interface PreviewedBlock {
  readonly header: Header;
  readonly built: BuiltBlock;
  readonly changes: StateChanges;
  /** The state after it, also after later blocks as long as that of its parent is kept. */
  readonly state: StateReader;
}

/** Dependencies of the processor. */
export interface ProcessorOptions {
  readonly timers?: BlockTimers | undefined;
  /** How blocks share the main thread; absent = blocks are executed without yielding. */
  readonly turns?: BlockTurns | undefined;
}

/** Inputs of a new block. */
export interface DraftPlan {
  /** As prepared by the consensus engine. */
  readonly header: Header;
  /** Address that will seal the block. */
  readonly author: Address;
  /** Iterated again after a bundle has failed. */
  readonly candidates: Iterable<TransactionOrBundle>;
  /** Time limit for the transactions, in milliseconds; absent = the protocol's limit. */
  readonly timeLimitMs?: number | undefined;
  /** Milliseconds of `Clock.elapsed`. */
  now(): number;
}

type Run = { readonly state: StateJournal; readonly executor: BlockExecutor };

/** Timers for the phases of a block, and a listener for built blocks. */
export interface BlockTimers {
  /** Executing the transactions of an imported block. */
  readonly process: Timer;
  /** Comparing the outcome with the header. */
  readonly validate: Timer;
  /** Finalising an imported block: rewards, treasury, system contracts. */
  readonly finalize: Timer;
  /** Hashing a block's state changes. */
  readonly hash: Timer;
  /** Building a block on this node. */
  readonly build: Timer;
  /** Executing the candidate transactions of a block built on this node. */
  readonly execute: Timer;
  /** Finalising a block built on this node. */
  readonly finalizeOwn: Timer;
  /** Called with each block built on this node. */
  onBuilt(built: BuiltBlock, header: Header): void;
}

const UNTIMED: Timer = { update: () => {}, time: (action) => action() };

/** Executes blocks on the tip of a chain or branch: those of others to verify them, new ones to build them. */
export class BlockProcessor {
  readonly #chain: ParentChain;
  readonly #evm: Evm;
  readonly #timers: BlockTimers | undefined;
  readonly #turns: BlockTurns | undefined;
  /** Whether fees are paid out with each transaction. Fixed by the genesis: the reference ignores votes and contracts here. */
  readonly #feesPaidAtOnce: boolean;

  constructor(chain: ParentChain, evm: Evm, { timers, turns }: ProcessorOptions = {}) {
    this.#chain = chain;
    this.#evm = evm;
    this.#timers = timers;
    this.#turns = turns;
    this.#feesPaidAtOnce = !genesisParams(chain.config).deferredTxFee;
  }

  /**
   * Executes a block that follows the tip, which must not move, and compares the outcome with its header.
   * @param check - called before each step; may throw to abandon the block
   * @returns a promise only if it has yielded to other work
   * @throws ChainError `BAD_BLOCK`, ExecutionError with the reference node's text; the reason with which the turns are aborted
   */
  verify(block: Block, check?: () => void): CandidateBlock | Promise<CandidateBlock> {
    const executor = this.executor("clients");
    return overWaits(this.#verify(block, check === undefined ? executor : guardedExecutor(executor, check)));
  }

  *#verify(block: Block, executor: BlockExecutor): Waits<CandidateBlock> {
    const { header } = block;
    const state = createJournal(this.#chain.tipState);
    const environment = this.environment(header, this.#chain.author(header), state);
    const { process = UNTIMED, validate = UNTIMED } = this.#timers ?? {};
    const finalize = this.#finalize(header, this.#timers?.finalize);
    const totals = yield* timed(process, executeBlock(block, environment, finalize, executor));
    return yield* timed(validate, this.#compare(block, totals, { state, executor }));
  }

  /** The executor for a block's transactions. */
  executor(lane: BlockLane): BlockExecutor {
    return this.#turns?.executor(lane) ?? UNINTERRUPTED;
  }

  *#compare(block: Block, totals: BlockTotals, { state, executor }: Run): Waits<CandidateBlock> {
    const { header } = block;
    yield* this.#compareTotals(header, totals, executor);
    yield* executor.yieldIfDue();
    const changes = yield* yieldingBetween(state.changesInSteps(), executor);
    const { root, staged } = yield* this.#hash(changes, executor);
    if (equalBytes(root, header.stateRoot)) return { block, totals, changes, staged };
    throw differs("stateRoot", "invalid merkle root", header.stateRoot, root);
  }

  /**
   * Builds a block on the tip, which must not move, from those candidates that can be executed.
   * @returns a promise only if it has yielded
   * @throws the reason with which the turns are aborted
   */
  draft(plan: DraftPlan): DraftBlock | Promise<DraftBlock> {
    const { build = UNTIMED } = this.#timers ?? {};
    return overWaits(timed(build, this.#draft(plan)));
  }

  *#draft(plan: DraftPlan): Waits<DraftBlock> {
    const { header } = plan;
    const base = this.#chain.tipState;
    const executor = this.executor("clients");
    const { built, state } = yield* this.#build(plan, base, executor, this.#timers);
    this.#timers?.onBuilt(built, header);
    yield* executor.yieldIfDue();
    const changes = yield* yieldingBetween(state.changesInSteps(), executor);
    const { root: stateRoot, staged } = yield* this.#hash(changes, executor);
    const block = yield* this.#withRoots(withTotals(header, built), built, { stateRoot, executor });
    yield* executor.yieldIfDue();
    const { rejected, failed } = built;
    return { block, totals: built, changes, staged, rejected, failed };
  }

  /**
   * Executes the block that `draft` would build, without hashing its changes or updating timers. It stays on the tip it
   * started from, even if that moves.
   * @returns a promise only if it has yielded
   */
  preview(plan: DraftPlan): PreviewedBlock | Promise<PreviewedBlock> {
    return overWaits(this.#preview(plan));
  }

  *#preview(plan: DraftPlan): Waits<PreviewedBlock> {
    const base = this.#chain.pinnedTipState();
    const { built, state } = yield* this.#build(plan, base, this.executor("reads"));
    const changes = state.changes();
    const header = withTotals(plan.header, built);
    return { header, built, changes, state: new StateOverlay(base, changes) };
  }

  /**
   * Completes a previewed block with its roots; its parent must be the tip.
   * @returns a promise only if it has yielded
   * @throws StateError `STATE_STALE` if the state changes meanwhile
   */
  complete(previewed: PreviewedBlock): Block | Promise<Block> {
    return overWaits(this.#complete(previewed));
  }

  *#complete({ header, built, changes }: PreviewedBlock): Waits<Block> {
    const executor = this.executor("reads");
    const { root: stateRoot } = yield* yieldingBetween(this.#chain.hashOnTip(changes), executor);
    return yield* this.#withRoots(header, built, { stateRoot, executor });
  }

  *#withRoots(
    header: Header,
    { transactions, receipts }: BuiltBlock,
    { stateRoot, executor }: { readonly stateRoot: Hash; readonly executor: BlockExecutor },
  ): Waits<Block> {
    const { deriveShaImpl } = this.#chain.params.at(header.number);
    const transactionsRoot = yield* derived(deriveShaImpl, transactions, encodeTransaction, executor);
    const receiptsRoot = yield* derived(deriveShaImpl, receipts, encodeReceiptInSteps, executor);
    return { header: { ...header, stateRoot, transactionsRoot, receiptsRoot }, transactions };
  }

  *#build(
    { header, author, candidates, timeLimitMs, now }: DraftPlan,
    base: StateReader,
    executor: BlockExecutor,
    timers?: BlockTimers,
  ): Waits<{ built: BuiltBlock; state: StateJournal }> {
    const finalize = this.#finalize(header, timers?.finalizeOwn);
    const limits = { timeLimitMs, maxBlobGas: maxBlobGas(this.#chain.config) };
    const plan = { ...{ header, candidates, now, finalize }, ...limits };
    const { execute = UNTIMED } = timers ?? {};
    const state = createJournal(base);
    const environment = this.environment(header, author, state);
    const built = yield* timed(execute, buildBlock(plan, environment, executor));
    return { built, state };
  }

  /** The environment shared by a block's transactions; also used for calls and traces on any canonical block. */
  environment(header: Header, author: Address, state: StateJournal): BlockEnvironment {
    const chain = this.#chain;
    const rules = chain.rulesAt(header.number);
    const ancestorHash = (number: bigint) => chain.ancestry.hash(number);
    return {
      evm: this.#evm,
      state,
      context: createBlockContext({ header, author, rules, ancestorHash }),
      feeRecipient: this.#feesPaidAtOnce ? (rules.magma ? header.rewardbase : author) : undefined,
      computationLimit: computationLimitAt(rules),
    };
  }

  /** The environment at the start of a canonical block, for traces. */
  replay(header: Header, parentState: StateReader): BlockEnvironment {
    return this.environment(header, this.#chain.author(header), createJournal(parentState));
  }

  *#hash(changes: StateChanges, executor: BlockExecutor): Waits<HashedOnTip> {
    const { hash = UNTIMED } = this.#timers ?? {};
    return yield* timed(hash, yieldingBetween(this.#chain.hashOnTip(changes), executor));
  }

  #finalize(header: Header, timer = UNTIMED): (totals: BlockTotals, state: StateJournal) => void {
    return ({ gasUsed, totalFee }, state) =>
      timer.time(() => {
        for (const hook of this.#chain.hooks) hook.finalize?.({ header, gasUsed, totalFee }, state);
      });
  }

  *#compareTotals(
    header: Header,
    { gasUsed, bloom, receipts }: BlockTotals,
    executor: BlockExecutor,
  ): Waits<void> {
    if (header.gasUsed !== gasUsed) {
      const text = `invalid gas used (remote: ${header.gasUsed} local: ${gasUsed})`;
      throw badBlock("gasUsed", text, { have: header.gasUsed, want: gasUsed });
    }
    if (!equalBytes(header.bloom, bloom)) throw differs("bloom", "invalid bloom", header.bloom, bloom, "  ");
    const { deriveShaImpl } = this.#chain.params.at(header.number);
    const root = yield* derived(deriveShaImpl, receipts, encodeReceiptInSteps, executor);
    if (equalBytes(header.receiptsRoot, root)) return;
    throw differs("receiptsRoot", "invalid receipt root hash", header.receiptsRoot, root);
  }
}

/** Items encoded per step. */
const ENCODED_PER_STEP = 64;

/** The root over transactions or receipts, computed in time slices. */
function* derived<T>(
  implementation: number,
  items: readonly T[],
  encode: (item: T) => Uint8Array | Generator<void, Uint8Array>,
  executor: BlockExecutor,
): Waits<Hash> {
  yield* executor.yieldIfDue();
  const encoded: Uint8Array[] = [];
  for (const item of items) {
    const steps = encode(item);
    const bytes = steps instanceof Uint8Array ? steps : yield* yieldingBetween(steps, executor);
    if (encoded.push(bytes) % ENCODED_PER_STEP === 0) yield* executor.yieldIfDue();
  }
  return yield* yieldingBetween(deriveShaInSteps(implementation, encoded), executor);
}

/** Runs steps that belong to a block, yielding between them if due. */
function* yieldingBetween<T>(steps: Generator<void, T>, executor: BlockExecutor): Waits<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield* executor.yieldIfDue();
  }
}

/** Times work, including what it waits for. */
function* timed<T>(timer: Timer, work: Waits<T>): Waits<T> {
  const begunMs = performance.now();
  try {
    return yield* work;
  } finally {
    timer.update(performance.now() - begunMs);
  }
}

function withTotals(header: Header, { bloom, gasUsed, blobGasUsed }: BlockTotals): Header {
  return { ...header, bloom, gasUsed, ...(header.blobGasUsed !== undefined && { blobGasUsed }) };
}

function differs(field: string, what: string, header: Uint8Array, ours: Uint8Array, gap = " ") {
  const [have, want] = [plainHex(header), plainHex(ours)];
  return badBlock(field, `${what} (remote: ${have}${gap}local: ${want})`, { have, want });
}
