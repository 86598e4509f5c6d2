import type { Waits } from "../../../platform/runtime/waits.ts";
import { MAX_BLOCK_SIZE } from "../../../protocol/block/block-codec.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { encodeHeader } from "../../../protocol/block/header-codec.ts";
import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionSize, withoutSidecar } from "../../../protocol/transaction/encoding.ts";
import { TransactionError } from "../../../protocol/transaction/errors.ts";
import { blobGas } from "../../../protocol/transaction/gas.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { EvmTimeout } from "../../evm/evm.ts";
import { absorbChanges } from "../../state/journal/absorb-changes.ts";
import { createJournal } from "../../state/journal/journal.ts";
import { journalView } from "../../state/journal/journal-view.ts";
import type { BlockEnvironment } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import { type BlockExecutor, type Deadline, UNINTERRUPTED } from "../jobs/block-executor.ts";
import type { AppliedTransaction } from "../transaction/transaction.ts";
import { type BlockTotals, beginBlock, count, endBlock, type Finalize, type Tally } from "./block.ts";
import { type Bundle, type FailedBundle, isBundle, type TransactionOrBundle } from "./bundle.ts";

/** Default time limit for executing the transactions of a block, in milliseconds. */
export const BLOCK_TIME_LIMIT_MS = 250;
/** Bytes reserved below the maximum block size for parts added later: seals, votes. */
const SIZE_MARGIN = 1_000_000;

/** What a proposer builds a block from. */
export interface BlockPlan {
  readonly header: Header;
  /** In order of preference; per sender by nonce. */
  readonly candidates: Iterable<TransactionOrBundle>;
  /** Maximum blob gas of the block. */
  readonly maxBlobGas: bigint;
  /** Time limit for the transactions, in milliseconds; the first one may take longer. Absent = `BLOCK_TIME_LIMIT_MS`. */
  readonly timeLimitMs?: number | undefined;
  /** Milliseconds of `Clock.elapsed`. */
  now(): number;
  readonly finalize: Finalize;
}

/** An invalid candidate; the pool may drop it. */
interface Rejected {
  readonly transaction: Transaction;
  readonly reason: TransactionRejection;
}

/** A block without roots and seals. Its changes are in the journal. */
export interface BuiltBlock extends BlockTotals {
  readonly transactions: readonly Transaction[];
  readonly rejected: readonly Rejected[];
  /** Bundles left out because one of their transactions failed; they would fail in the next block too. */
  readonly failed: readonly FailedBundle[];
  /** Whether candidates were left out for lack of time. */
  readonly outOfTime: boolean;
}

/**
 * Executes as many candidates as fit within the block's size, blob gas and time limits. Skips invalid candidates, and the
 * remaining ones of a sender whose nonce is too high.
 */
export function* buildBlock(
  plan: BlockPlan,
  environment: BlockEnvironment,
  executor: BlockExecutor = UNINTERRUPTED,
): Waits<BuiltBlock> {
  const draft = new Draft(plan, environment, executor);
  for (const candidate of plan.candidates) {
    const next = yield* isBundle(candidate) ? draft.addBundle(candidate) : draft.add(candidate);
    if (next === "full") break;
  }
  const { transactions, rejected, failed, outOfTime } = draft;
  return { ...endBlock(draft.tally, environment, plan.finalize), transactions, rejected, failed, outOfTime };
}

/** A transaction of a bundle was executed and failed. */
class PartFailed extends Error {}

/** A block under construction. */
class Draft {
  readonly transactions: Transaction[] = [];
  readonly rejected: Rejected[] = [];
  readonly failed: FailedBundle[] = [];
  readonly tally: Tally;
  outOfTime = false;
  readonly #plan: BlockPlan;
  readonly #environment: BlockEnvironment;
  readonly #executor: BlockExecutor;
  readonly #deadline: number;
  /** Senders with a nonce gap before their next transaction. */
  readonly #gapped = new Set<string>();
  #size: number;
  #tried = false;

  constructor(plan: BlockPlan, environment: BlockEnvironment, executor: BlockExecutor) {
    this.#plan = plan;
    this.#environment = environment;
    this.#executor = executor;
    this.#deadline = plan.now() + (plan.timeLimitMs ?? BLOCK_TIME_LIMIT_MS);
    this.#size = encodeHeader(plan.header).length;
    this.tally = beginBlock(plan.header, environment);
  }

  /** Whether time is up, not counting time yielded to other work. */
  get #isLate(): boolean {
    return this.#tried && this.#plan.now() - this.#executor.yieldedMs >= this.#deadline;
  }

  /** Tries a candidate. @returns `full` if no further one can be added */
  *add(tx: Transaction): Waits<"next" | "full"> {
    if (this.#isLate) return this.#stop();
    this.#tried = true;
    const size = transactionSize(withoutSidecar(tx));
    if (this.#size + size >= MAX_BLOCK_SIZE - SIZE_MARGIN) return "full";
    if (this.tally.blobGasUsed + blobGas(tx) > this.#plan.maxBlobGas) return "next";
    const sender = senderKey(tx, this.#environment);
    if (this.#gapped.has(sender)) return "next";
    try {
      this.#take(tx, size, yield* this.#apply(tx));
    } catch (error) {
      if (error instanceof EvmTimeout) return this.#stop();
      if (!(error instanceof TransactionRejection)) throw error;
      this.#reject(tx, sender, error);
    }
    return "next";
  }

  /**
   * Adds a bundle if all of it fits and succeeds. It runs in a journal of its own, which is dropped on failure: nobody pays
   * for a failed bundle, so undoing it must be cheap.
   */
  *addBundle(bundle: Bundle): Waits<"next" | "full"> {
    if (this.#isLate) return this.#stop();
    const deadline = this.#tried ? this.#timeLeft : undefined;
    this.#tried = true;
    const { state } = this.#environment;
    const parts = [bundle.lead(state), ...bundle.transactions];
    const size = parts.reduce((sum, tx) => sum + transactionSize(tx), 0);
    if (this.#size + size >= MAX_BLOCK_SIZE - SIZE_MARGIN) return "full";
    const own = createJournal(journalView(state), { readsAllStorage: true });
    try {
      const applied = yield* this.#applyAll(parts, { ...this.#environment, state: own }, deadline);
      absorbChanges(state, own.changes());
      for (const [index, tx] of parts.entries())
        this.#take(tx, transactionSize(tx), applied[index] as AppliedTransaction);
    } catch (error) {
      if (error instanceof EvmTimeout) return this.#stop();
      if (!(error instanceof TransactionRejection || error instanceof PartFailed)) throw error;
      this.failed.push({ bundle, reason: error.message });
    }
    return "next";
  }

  *#applyAll(
    parts: readonly Transaction[],
    environment: BlockEnvironment,
    deadline: Deadline | undefined,
  ): Waits<AppliedTransaction[]> {
    const all: AppliedTransaction[] = [];
    for (const tx of parts) {
      const applied = yield* this.#executor.apply(tx, environment, deadline);
      if (applied.receipt.status !== STATUS_SUCCESS)
        throw new PartFailed(applied.error ?? "execution failed");
      all.push(applied);
    }
    return all;
  }

  #apply(tx: Transaction): Waits<AppliedTransaction> {
    const isFirst = this.transactions.length === 0;
    return this.#executor.apply(tx, this.#environment, isFirst ? undefined : this.#timeLeft);
  }

  get #timeLeft(): Deadline {
    return { at: this.#deadline, now: this.#plan.now };
  }

  #take(tx: Transaction, size: number, applied: AppliedTransaction): void {
    count(this.tally, tx, applied);
    this.transactions.push(withoutSidecar(tx));
    this.#size += size;
  }

  #reject(transaction: Transaction, sender: string, reason: TransactionRejection): void {
    if (reason.code === "NONCE_TOO_HIGH") this.#gapped.add(sender);
    this.rejected.push({ transaction, reason });
  }

  #stop(): "full" {
    this.outOfTime = true;
    return "full";
  }
}

/** The sender as hex; empty if the signature is invalid, as execution will report. */
function senderKey(tx: Transaction, { context }: BlockEnvironment): string {
  try {
    return bytesToHex(recoverSender(tx, context.rules.chainId).sender);
  } catch (error) {
    if (error instanceof TransactionError) return "";
    throw error;
  }
}
