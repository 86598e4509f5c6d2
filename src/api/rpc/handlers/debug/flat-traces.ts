import { wholeText } from "../../../../ledger/evm/tracers/tracer.ts";
import type { CallsTraceWork, JobOutcome } from "../../../../ledger/execution/job.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { recoverSender } from "../../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { refused, stopping } from "../../engine/errors.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import { type flatTraces, MOST_CALLS } from "../../spec/debug/flat-traces.ts";
import type { CallContext, Handlers } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { CallArguments, CallRunner } from "../calls/call-runner.ts";
import type { Executor } from "../execution/executor.ts";
import { withEnvelope } from "../transactions/submit.ts";
import { checkSize, type ShownTrace } from "./block-traces.ts";
import { type FlatTraceSources, FlatTraces } from "./flat-trace-lists.ts";
import { filteredTraces } from "./trace-filter.ts";
import { failureText, patienceOf, shownTrace, TRACE_TIME_MS, type TracerPlan } from "./trace-plan.ts";

/** What the traces are made with. */
interface FlatTraceDeps extends FlatTraceSources {
  readonly runner: CallRunner;
  readonly executor: Executor;
  readonly reads: HeavyReads;
}

const KINDS: readonly string[] = ["trace", "vmTrace", "stateDiff"];
const LATEST: BlockRef = { number: "latest" };

/** Lists of calls in OpenEthereum's shapes; the transactions run again, and nothing is kept. */
export function flatTraceHandlers(deps: FlatTraceDeps): Handlers<typeof flatTraces> {
  const { reader, reads, runner, executor, blocks } = deps;
  const traces = new FlatTraces(deps);
  const ofTransaction = (hash: Hash, context: CallContext) =>
    reads.run(context, (pace) => traces.ofTransaction(hash, patienceOf(context), pace));
  const call = (
    args: CallArguments,
    kinds: readonly string[],
    at: BlockRef,
    context: CallContext,
  ): Promise<JsonText> => {
    const { tracer, timeoutMs, timeoutText } = replayPlan(kinds);
    return shownTrace(timeoutText, () =>
      executor.outcomes(() => runner.plan(args, at, tracer, timeoutMs), patienceOf(context)),
    );
  };
  return {
    block({ block }, context) {
      const located = reader.requireBlock(block);
      return reads.run(context, (pace) => traces.located(located, patienceOf(context), pace));
    },
    transaction: ({ hash }, context) => ofTransaction(hash, context),
    async get({ hash, path }, context) {
      const list = await ofTransaction(hash, context);
      const wanted = path.join();
      return list?.find((trace) => trace.traceAddress.join() === wanted) ?? null;
    },
    filter: ({ filter }, context) =>
      reads.run(context, (pace) => filteredTraces(filter, { reader, traces, pace }, context)),
    call: ({ call: args, kinds, block = LATEST }, context) => call(args, kinds, block, context),
    async callMany({ calls, block = LATEST }, context) {
      if (calls.length > MOST_CALLS)
        throw refused(`trace_callMany takes at most ${MOST_CALLS} calls at once`);
      if (calls.length === 0) return [];
      const planned = calls.map(([args, kinds]) => ({ args, tracer: replayPlan(kinds).tracer }));
      const outcomes = await executor.outcomes(
        () => runner.planMany(planned, block, TRACE_TIME_MS),
        patienceOf(context),
      );
      return listOf(calls.map((_, index) => callText(outcomes, index)));
    },
    rawTransaction({ raw, kinds }, context) {
      if (raw.length === 0) throw refused("Empty input");
      const tx = decodeTransaction(withEnvelope(raw));
      const { sender: from } = recoverSender(tx, reader.chain.config.chainId);
      return call(callOf(tx, from), kinds, LATEST, context);
    },
    replayTransaction({ hash, kinds }, context) {
      const plan = replayPlan(kinds);
      const place = reader.chain.place(hash);
      if (place === undefined) return null;
      const { block } = reader.requireBlock({ number: place.blockNumber });
      return shownTrace(plan.timeoutText, () =>
        blocks.traceOne(block, place.index, plan, patienceOf(context)),
      );
    },
    async replayBlockTransactions({ block, kinds }, context) {
      const plan = replayPlan(kinds);
      const { block: found } = reader.requireBlock(block);
      if (found.transactions.length === 0) return [];
      return listOf((await blocks.traceBy(found, () => plan, patienceOf(context))).map(blockText));
    },
  };
}

/** What shows these parts of a transaction. @throws RpcError -32000 for a kind that does not exist */
function replayPlan(kinds: readonly string[]): TracerPlan {
  const unknown = kinds.find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined)
    throw refused(`${JSON.stringify(unknown.slice(0, 40))} is not a kind of trace: ${KINDS.join(", ")}`);
  const [trace, vmTrace, stateDiff] = KINDS.map((kind) => kinds.includes(kind)) as [
    boolean,
    boolean,
    boolean,
  ];
  return {
    tracer: { kind: "replay", parts: { trace, vmTrace, stateDiff } },
    timeoutMs: TRACE_TIME_MS,
    timeoutText: "execution timeout",
  };
}

/** @throws RpcError -32000 with what kept a call from its result, or that before it */
function callText(outcomes: readonly JobOutcome<CallsTraceWork>[], index: number): string {
  const outcome = outcomes[index] ?? outcomes.at(-1) ?? { error: stopping() };
  if ("error" in outcome)
    throw refused(
      `call ${Math.min(index, outcomes.length - 1)}: ${failureText(outcome.error, "execution timeout")}`,
    );
  return wholeText(outcome.value);
}

/** A replay with the hash of its transaction. @throws RpcError -32000 where it has no result */
function blockText({ hash, shown, isFailed }: ShownTrace): string {
  if (isFailed) throw refused(`transaction ${hash}: ${shown}`);
  return `${shown.slice(0, -1)},"transactionHash":"${hash}"}`;
}

/** @throws RpcError -32000 where it is too long for an answer */
function listOf(texts: readonly string[]): JsonText {
  checkSize(texts.reduce((sum, { length }) => sum + length, 0));
  return new JsonText(`[${texts.join(",")}]`);
}

/** A transaction as a call; one that runs no code and names no recipient calls its sender. */
function callOf({ to, value, input, gas, type }: Transaction, from: Address): CallArguments {
  const creates = type.effect === "deploy" || type.effect === "ethereum";
  const recipient = to ?? (creates ? undefined : from);
  return { from, value, input, gas, ...(recipient && { to: recipient }) };
}
