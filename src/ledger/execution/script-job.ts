import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { decodeTransaction } from "../../protocol/transaction/decoding.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { keepSigners, knownSigners, type Signers } from "../../protocol/transaction/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { BlockContext, Evm } from "../evm/evm.ts";
import type { ScriptEngine } from "../evm/tracers/script/script-engine.ts";
import { scriptTracer } from "../evm/tracers/script/script-tracer.ts";
import type { TracedTransaction } from "../evm/tracers/tracer.ts";
import { createJournal } from "../state/journal.ts";
import type { StateReader } from "../state/state.ts";
import { type CallRequest, call } from "./call.ts";
import type { BlockEnvironment, EndedTransaction, TransactionOptions } from "./environment.ts";
import { TransactionRejection } from "./errors.ts";
import { storeParentHash } from "./system-call.ts";
import { tracedCall, tracedTransaction } from "./traced-transaction.ts";
import { applyTransaction } from "./transaction.ts";

/** A tracer written by the caller, and what it shall watch: data that can go to another thread. */
export interface ScriptJob {
  readonly code: string;
  /** For each transaction; counted from its first step. */
  readonly timeoutMs: number;
  readonly block: PlainBlock;
  readonly work: CallWork | BlockWork;
}

/** What transactions see of their block. */
export interface PlainBlock {
  readonly context: Omit<BlockContext, "blockHash">;
  readonly feeRecipient: Address | undefined;
  readonly computationLimit: bigint | undefined;
}

export interface CallWork {
  readonly kind: "call";
  readonly request: CallRequest;
}

/** All transactions of a block, one after the other, or the one at an index after those before it. */
export interface BlockWork {
  readonly kind: "block";
  readonly parentHash: Hash;
  readonly transactions: readonly PlainTransaction[];
  readonly index: number | undefined;
}

export interface PlainTransaction {
  readonly raw: Uint8Array;
  /** Where they are known already. */
  readonly signers: Signers | undefined;
}

/** What the job reads on its way. */
export interface ScriptSources {
  /** Before the first transaction. */
  readonly state: StateReader;
  blockHash(number: bigint): Hash;
}

/** What the script showed of one transaction: JSON text; or what stopped it. */
export type ScriptOutcome = { readonly text: string } | { readonly error: unknown };

/** What a job is run with. */
export interface ScriptMachine {
  readonly evm: Evm;
  /** Asked for before each transaction. */
  readonly engine: ScriptEngine;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told before each transaction that is watched. */
  readonly onBegin?: () => void;
}

/** A block without its functions. */
export function plainBlock({ context, feeRecipient, computationLimit }: BlockEnvironment): PlainBlock {
  const { blockHash: _, ...plain } = context;
  return { context: plain, feeRecipient, computationLimit };
}

/** A transaction as bytes, which another thread can take. */
export function plainTransaction(tx: Transaction, chainId: bigint): PlainTransaction {
  return { raw: encodeTransaction(tx).slice(), signers: knownSigners(tx, chainId) };
}

/** Runs a job. Nothing is kept of what its transactions do. */
export function* runScriptJob(
  job: ScriptJob,
  { state, blockHash }: ScriptSources,
  machine: ScriptMachine,
): Generator<ScriptOutcome> {
  const environment: BlockEnvironment = {
    evm: machine.evm,
    state: createJournal(state),
    context: { ...job.block.context, blockHash },
    feeRecipient: job.block.feeRecipient,
    computationLimit: job.block.computationLimit,
  };
  const run = new JobRun(job, environment, machine);
  if (job.work.kind === "call") yield run.call(job.work.request);
  else yield* run.block(job.work);
}

class JobRun {
  readonly #job: ScriptJob;
  readonly #block: BlockEnvironment;
  readonly #machine: ScriptMachine;

  constructor(job: ScriptJob, block: BlockEnvironment, machine: ScriptMachine) {
    this.#job = job;
    this.#block = block;
    this.#machine = machine;
  }

  call(request: CallRequest): ScriptOutcome {
    const { context, state } = this.#block;
    return this.#watch(tracedCall(request, context, state), (options) => {
      call(request, this.#block, options);
    });
  }

  *block({ parentHash, transactions, index }: BlockWork): Generator<ScriptOutcome> {
    const { chainId } = this.#block.context.rules;
    storeParentHash(parentHash, this.#block);
    for (const [place, { raw, signers }] of transactions.entries()) {
      const tx = decodeTransaction(raw);
      if (signers !== undefined) keepSigners(tx, chainId, signers);
      if (index !== undefined && place < index) applyTransaction(tx, this.#block);
      else yield this.#transaction(tx);
    }
  }

  /** Unless the block cannot hold it, the transaction happens for those after it, however its watching ended. */
  #transaction(tx: Transaction): ScriptOutcome {
    let isApplied = false;
    const outcome = this.#watch(tracedTransaction(tx, this.#block.context), (options) => {
      applyTransaction(tx, this.#block, options);
      isApplied = true;
    });
    const isRejected = "error" in outcome && outcome.error instanceof TransactionRejection;
    if (!isApplied && !isRejected) applyTransaction(tx, this.#block);
    return outcome;
  }

  /** The script shows its result while the transaction is still open, and an error there does not undo it. */
  #watch(traced: TracedTransaction, run: (options: TransactionOptions) => void): ScriptOutcome {
    const { engine, now, onBegin } = this.#machine;
    onBegin?.();
    const deadline = now() + this.#job.timeoutMs;
    const isOver = () => now() >= deadline;
    let shown: ScriptOutcome | undefined;
    try {
      const tracer = scriptTracer({ engine, code: this.#job.code, isOver }, traced, this.#block.state);
      const beforeEnd = (ended: EndedTransaction): void => {
        shown = attempt(() => tracer.resultText(ended));
      };
      run({ tracer: tracer.hooks, deadline, beforeEnd });
      return shown as unknown as ScriptOutcome;
    } catch (error) {
      return { error };
    }
  }
}

function attempt(action: () => string): ScriptOutcome {
  try {
    return { text: action() };
  } catch (error) {
    return { error };
  }
}
