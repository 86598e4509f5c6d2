import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { keepSigners } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Evm } from "../../evm/evm.ts";
import { isGasBlind } from "../../evm/tables/gas-blind.ts";
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
  AppliedElsewhere,
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
import type { TraceMachine } from "./watch-transaction.ts";

/** Creates the block again each time work on it starts. */
export interface JobBlock extends Omit<BlockEnvironment, "state"> {
  readonly state: StateReader;
  readonly overrides?: readonly AccountOverride[] | undefined;
}

/** Limits of a job. */
export type JobLimits = Pick<TransactionOptions, "deadline" | "budget">;

/** What a job runs with. */
export interface JobMachine extends Omit<TraceMachine, "limits"> {
  readonly evm: Evm;
  readonly limits: JobLimits;
}

/** Runs a serialised job. */
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

/** Runs work that has one result. @throws CallError, TransactionRejection, EvmTimeout, BudgetSpent, MissingState */
export function runQuery<W extends Query>(work: W, block: JobBlock, limits: JobLimits): ValueOfWork<W>;
export function runQuery(
  work: Query,
  block: JobBlock,
  limits: JobLimits,
): CallResult | bigint | FoundAccessList | AppliedElsewhere | SimulatedResult {
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

/** Every storage is read: the block may have given slots to an account whose storage root does not tell yet. */
function apply({ transaction }: TransactionWork, block: JobBlock, limits: JobLimits): AppliedElsewhere {
  const state = createJournal(block.state, { readsAllStorage: true });
  const tx = decodePlain(transaction, block.context.rules.chainId);
  return { applied: applyTransaction(tx, { ...block, state }, limits), changes: state.changes() };
}

/** The transaction of its bytes, whose signers are not recovered again. */
function decodePlain({ raw, signers }: PlainTransaction, chainId: bigint): Transaction {
  const tx = decodeTransaction(raw);
  if (signers !== undefined) keepSigners(tx, chainId, signers);
  return tx;
}

function estimate({ request, gas, cap, gasPrice }: EstimateWork, block: JobBlock, limits: JobLimits): bigint {
  const { state } = begin(block);
  const { from, to, credit = "whole", input } = request;
  // Other credits leave the caller a balance that depends on the gas.
  const isCreditEven = credit === "whole" || credit === "value";
  return estimateGas({
    ...{ gas, cap, gasPrice, value: request.value },
    balance: state.balance(from),
    run: (attempted) => call({ ...request, gas: attempted }, begin(block), limits),
    isGasBlind: () => isCreditEven && isGasBlind(to === undefined ? input : state.code(to)),
  });
}

/** The block with a journal of its own. A literal of one shape, since calls are many: copying the rest took 2 µs of 45. */
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
