import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { keepSigners } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Evm } from "../../evm/evm.ts";
import { isGasIndependent } from "../../evm/tables/gas-independent.ts";
import { kaiaRuleSet } from "../../evm/tables/kaia-rules.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateReader } from "../../state/state.ts";
import { findAccessList } from "../calls/access-list.ts";
import { type CallResult, call } from "../calls/call.ts";
import { estimateGas } from "../calls/estimate.ts";
import { type AccountOverride, applyOverrides } from "../calls/overrides.ts";
import { simulate } from "../calls/simulate.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import type {
  AccessListWork,
  AppliedInThread,
  CallWork,
  EstimateWork,
  ExecutionJob,
  FoundAccessList,
  JobOutcome,
  JobSources,
  PlainTransaction,
  SimulatedResult,
  SimulationWork,
  TransactionWork,
  ValueOfWork,
  Work,
} from "../job.ts";
import { applyTransaction } from "../transaction/transaction.ts";
import { runTraces } from "./run-traces.ts";
import type { TraceMachine } from "./trace-runner.ts";

/** A block on whose state each run of the work gets a fresh journal. */
export interface JobBlock extends Omit<BlockEnvironment, "state"> {
  readonly state: StateReader;
  readonly overrides?: readonly AccountOverride[] | undefined;
}

/** Limits of a job. */
export type JobLimits = Pick<TransactionOptions, "deadline" | "budget">;

/** The engine and limits with which jobs are run. */
export interface JobMachine extends Omit<TraceMachine, "limits"> {
  readonly evm: Evm;
  readonly limits: JobLimits;
}

/** Runs a job. */
export function* runJob<W extends Work>(
  job: ExecutionJob<W>,
  { state, blockHash }: JobSources,
  machine: JobMachine,
): Generator<JobOutcome<W>> {
  const { context, feeRecipient, computationLimit } = job.block;
  const block: JobBlock = {
    evm: machine.evm,
    context: { ...context, blockHash },
    ...{ feeRecipient, computationLimit, state, overrides: job.overrides },
  };
  yield* runWork<W>(job.work, block, machine);
}

/** Runs work on a block. */
export function* runWork<W extends Work>(
  work: W,
  block: JobBlock,
  machine: Omit<JobMachine, "evm">,
): Generator<JobOutcome<W>> {
  if (work.kind === "traceCall" || work.kind === "traceCalls" || work.kind === "traceBlock") {
    yield* runTraces(work, begin(block), machine) as Generator<JobOutcome<W>>;
    return;
  }
  try {
    yield { value: runQuery(work, block, machine.limits) as ValueOfWork<W> };
  } catch (error) {
    yield { error };
  }
}

type Query = CallWork | EstimateWork | AccessListWork | SimulationWork | TransactionWork;

/** Runs work with a single result. @throws CallError, TransactionRejection, EvmTimeout, BudgetSpent, MissingState */
export function runQuery<W extends Query>(work: W, block: JobBlock, limits: JobLimits): ValueOfWork<W>;
export function runQuery(
  work: Query,
  block: JobBlock,
  limits: JobLimits,
): CallResult | bigint | FoundAccessList | AppliedInThread | SimulatedResult {
  switch (work.kind) {
    case "call":
      return call(work.request, begin(block), limits);
    case "accessList":
      return findAccessList(work, () => begin(block), limits);
    case "simulate":
      return simulate(work, begin(block), limits);
    case "estimate":
      return estimate(work, block, limits);
    case "transaction":
      return apply(work, block, limits);
  }
}

/** Reads storage even if its root is empty: the block may have written slots of an account whose root is not updated yet. */
function apply({ transaction }: TransactionWork, block: JobBlock, limits: JobLimits): AppliedInThread {
  const state = createJournal(block.state, { readsAllStorage: true });
  const tx = decodePlain(transaction, block.context.rules.chainId);
  return { applied: applyTransaction(tx, { ...block, state }, limits), changes: state.changes() };
}

/** Decodes a transaction, with signers that are already known. */
function decodePlain({ raw, signers }: PlainTransaction, chainId: bigint): Transaction {
  const tx = decodeTransaction(raw);
  if (signers !== undefined) keepSigners(tx, chainId, signers);
  return tx;
}

function estimate({ request, gas, cap, gasPrice }: EstimateWork, block: JobBlock, limits: JobLimits): bigint {
  const { state } = begin(block);
  const { opcodes } = kaiaRuleSet(block.context.rules);
  const { from, to, credit = "whole", input } = request;
  // With other credits, the caller's balance depends on the gas limit.
  const isCreditEven = credit === "whole" || credit === "value";
  return estimateGas({
    ...{ gas, cap, gasPrice, value: request.value },
    balance: state.balance(from),
    run: (attempted) => call({ ...request, gas: attempted }, begin(block), limits),
    isGasIndependent: () =>
      isCreditEven && isGasIndependent(to === undefined ? input : state.code(to), opcodes),
  });
}

/** The block with a fresh journal. An object literal of one fixed shape, for speed: spreading took 2 of 45 µs. */
function begin({
  evm,
  context,
  feeRecipient,
  computationLimit,
  state,
  overrides,
}: JobBlock): BlockEnvironment {
  const journal = createJournal(state);
  if (overrides !== undefined) applyOverrides(overrides, journal);
  return { evm, context, feeRecipient, computationLimit, state: journal };
}
