import type { CallsTraceWork, JobOutcome } from "../../../../../ledger/execution/job.ts";
import { type Pace, runPaced } from "../../../../../platform/runtime/turns/pace.ts";
import type { Json } from "../../../../../protocol/codec/json/value.ts";
import type { Address } from "../../../../../protocol/primitives/bytes.ts";
import { decodeTransaction } from "../../../../../protocol/transaction/decoding.ts";
import { recoverSender } from "../../../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../../../protocol/transaction/transaction.ts";
import { refused, stopping } from "../../../engine/errors.ts";
import type { Draft } from "../../../engine/text/draft.ts";
import { joinedTexts, listText } from "../../../engine/text/list-text.ts";
import type { HeavyReads } from "../../../services/heavy-reads.ts";
import type { TraceLimits } from "../../../services/limits.ts";
import { type flatTraces, MAX_CALLS, type PlacedFlatTrace } from "../../../spec/debug/flat-traces.ts";
import type { CallContext, Handlers } from "../../../spec/method.ts";
import { type BlockRef, LATEST_BLOCK } from "../../../spec/values/block-ref.ts";
import { JsonText, LongText, type Text } from "../../../spec/values/json-text.ts";
import type { CallArguments, CallRunner } from "../../calls/call-runner.ts";
import type { Executor } from "../../execution/executor.ts";
import { withEnvelope } from "../../transactions/submit.ts";
import type { ShownTrace } from "./block-traces.ts";
import { type FlatTraceSources, FlatTraces } from "./flat-trace-lists.ts";
import { filteredTraces } from "./trace-filter.ts";
import { callerOf, checkSize, failureText, shownTrace, type TracerPlan, textOf } from "./trace-plan.ts";

/** What flat traces are made with. */
interface FlatTraceDeps extends FlatTraceSources {
  readonly runner: CallRunner;
  readonly executor: Executor;
  readonly reads: HeavyReads;
}

const KINDS: readonly string[] = ["trace", "vmTrace", "stateDiff"];

/** Flat traces in OpenEthereum's format; the transactions are executed again, and nothing is stored. */
export function flatTraceHandlers(deps: FlatTraceDeps): Handlers<typeof flatTraces> {
  const { reader, reads, runner, executor, blocks } = deps;
  const traces = new FlatTraces(deps);
  const { limits } = blocks;
  const shown = (found: readonly PlacedFlatTrace[], pace: Pace, draft: Draft) =>
    runPaced(pace, listText(found as readonly unknown[] as readonly Json[], draft));
  const call = (
    args: CallArguments,
    kinds: readonly string[],
    at: BlockRef,
    context: CallContext,
  ): Promise<JsonText> => {
    const { tracer, timeoutMs, timeoutText } = replayPlan(kinds, limits);
    return shownTrace(timeoutText, limits, () =>
      executor.outcomes(() => runner.plan(args, at, tracer, timeoutMs), callerOf(context, limits)),
    );
  };
  return {
    block({ block }, context) {
      const located = reader.requireBlock(block);
      return reads.run(context, async (pace, draft) =>
        shown(await traces.located(located, callerOf(context, limits), pace), pace, draft),
      );
    },
    transaction: ({ hash }, context) =>
      reads.run(context, async (pace, draft) => {
        const found = await traces.ofTransaction(hash, callerOf(context, limits), pace);
        return found && shown(found, pace, draft);
      }),
    async get({ hash, path }, context) {
      const list = await reads.run(context, (pace) =>
        traces.ofTransaction(hash, callerOf(context, limits), pace),
      );
      const wanted = path.join();
      return list?.find((trace) => trace.traceAddress.join() === wanted) ?? null;
    },
    filter: ({ filter }, context) =>
      reads.run(context, async (pace, draft) =>
        shown(await filteredTraces(filter, { reader, traces, pace }, context), pace, draft),
      ),
    call: ({ call: args, kinds, block = LATEST_BLOCK }, context) => call(args, kinds, block, context),
    async callMany({ calls, block = LATEST_BLOCK }, context) {
      if (calls.length > MAX_CALLS) throw refused(`trace_callMany takes at most ${MAX_CALLS} calls at once`);
      if (calls.length === 0) return [];
      const planned = calls.map(([args, kinds]) => ({ args, tracer: replayPlan(kinds, limits).tracer }));
      const outcomes = await executor.outcomes(
        () => runner.planMany(planned, block, limits.timeMs),
        callerOf(context, limits),
      );
      return listOf(
        calls.map((_, index) => callText(outcomes, index)),
        limits,
      );
    },
    rawTransaction({ raw, kinds }, context) {
      if (raw.length === 0) throw refused("Empty input");
      const tx = decodeTransaction(withEnvelope(raw));
      const { sender: from } = recoverSender(tx, reader.chain.config.chainId);
      return call(callOf(tx, from), kinds, LATEST_BLOCK, context);
    },
    replayTransaction({ hash, kinds }, context) {
      const plan = replayPlan(kinds, limits);
      const place = reader.chain.locate(hash);
      if (place === undefined) return null;
      const { block } = reader.requireBlock({ number: place.blockNumber });
      return shownTrace(plan.timeoutText, limits, () =>
        blocks.traceOne(block, place.index, plan, callerOf(context, limits)),
      );
    },
    async replayBlockTransactions({ block, kinds }, context) {
      const plan = replayPlan(kinds, limits);
      const { block: found } = reader.requireBlock(block);
      if (found.transactions.length === 0) return [];
      return listOf(
        (await blocks.traceBy(found, () => plan, callerOf(context, limits))).map(blockText),
        limits,
      );
    },
  };
}

/** The plan for the requested kinds of trace. @throws RpcError -32000 for an unknown kind */
function replayPlan(kinds: readonly string[], { timeMs }: TraceLimits): TracerPlan {
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
    timeoutMs: timeMs,
    timeoutText: "execution timeout",
  };
}

/** @throws RpcError -32000 with the failure of the call, or of the one that stopped the calls before it */
function callText(outcomes: readonly JobOutcome<CallsTraceWork>[], index: number): Text {
  const outcome = outcomes[index] ?? outcomes.at(-1) ?? { error: stopping() };
  if ("error" in outcome)
    throw refused(
      `call ${Math.min(index, outcomes.length - 1)}: ${failureText(outcome.error, "execution timeout")}`,
    );
  return textOf(outcome.value);
}

/** A replay with the hash of its transaction. @throws RpcError -32000 where it has no result */
function blockText({ hash, shown, isFailed }: ShownTrace): Text {
  if (isFailed) throw refused(`transaction ${hash}: ${shown}`);
  return joinedTexts("", [withoutLast(shown)], `,"transactionHash":"${hash}"}`);
}

/** Without the closing bracket of an object. */
function withoutLast(text: Text): Text {
  if (typeof text === "string") return text.slice(0, -1);
  const last = text.pieces.at(-1) ?? new Uint8Array();
  return new LongText([...text.pieces.slice(0, -1), last.subarray(0, -1)]);
}

/** @throws RpcError -32000 where it is too long for a response */
function listOf(texts: readonly Text[], { characters }: TraceLimits): JsonText {
  checkSize(
    texts.reduce((sum, { length }) => sum + length, 0),
    characters,
  );
  return new JsonText(joinedTexts("[", texts, "]"));
}

/** A transaction as a call; one without recipient that creates no contract calls its sender. */
function callOf({ to, value, input, gas, type }: Transaction, from: Address): CallArguments {
  const creates = type.effect === "deploy" || type.effect === "ethereum";
  const recipient = to ?? (creates ? undefined : from);
  return { from, value, input, gas, ...(recipient && { to: recipient }) };
}
