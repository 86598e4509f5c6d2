import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { recoverSender } from "../../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { refused } from "../../engine/errors.ts";
import type { flatTraces } from "../../spec/debug/flat-traces.ts";
import type { CallContext, Handlers } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import type { CallArguments, CallRunner } from "../calls/call-runner.ts";
import type { Executor } from "../execution/executor.ts";
import { withEnvelope } from "../transactions/submit.ts";
import {
  FLAT_CONFIG,
  type FlatTrace,
  type FlatTraceSources,
  FlatTraces,
  parsedList,
} from "./flat-trace-lists.ts";
import { filteredTraces } from "./trace-filter.ts";
import { patienceOf, planOf, shownTrace } from "./trace-plan.ts";

/** What the traces are made with. */
interface FlatTraceDeps extends FlatTraceSources {
  readonly runner: CallRunner;
  readonly executor: Executor;
}

const UNSERVED: Readonly<Record<string, string>> = {
  vmTrace: "debug_traceTransaction shows each step",
  stateDiff: "debug_traceTransaction with prestateTracer shows the accounts before",
};

/** Lists of calls in OpenEthereum's shapes; the transactions run again, and nothing is kept. */
export function flatTraceHandlers(deps: FlatTraceDeps): Handlers<typeof flatTraces> {
  const { reader, runner, executor } = deps;
  const traces = new FlatTraces(deps);
  const call = async (args: CallArguments, at: BlockRef, context: CallContext): Promise<Json> => {
    const { tracer, timeoutMs, timeoutText } = planOf(FLAT_CONFIG, "refused");
    const { text } = await shownTrace(timeoutText, () =>
      executor.outcomes(() => runner.plan(args, at, tracer, timeoutMs), patienceOf(context)),
    );
    return replayOf(parsedList(String(text)));
  };
  return {
    block: async ({ block }, context) => {
      const { block: found, hash } = reader.requireBlock(block);
      return traces.located(found, hash, patienceOf(context));
    },
    transaction: ({ hash }, context) => traces.ofTransaction(hash, patienceOf(context)),
    async get({ hash, path }, context) {
      const list = await traces.ofTransaction(hash, patienceOf(context));
      const wanted = path.join();
      return list?.find((trace) => (trace as unknown as FlatTrace).traceAddress.join() === wanted) ?? null;
    },
    filter: ({ filter }, context) => filteredTraces(filter, { reader, traces }, context),
    call({ call: args, kinds, block = { number: "latest" } }, context) {
      checkKinds(kinds);
      return call(args, block, context);
    },
    rawTransaction({ raw, kinds }, context) {
      checkKinds(kinds);
      if (raw.length === 0) throw refused("Empty input");
      const tx = decodeTransaction(withEnvelope(raw));
      const { sender: from } = recoverSender(tx, reader.chain.config.chainId);
      return call(callOf(tx, from), { number: "latest" }, context);
    },
    async replayTransaction({ hash, kinds }, context) {
      checkKinds(kinds);
      const found = await traces.replayed(hash, patienceOf(context));
      return found === undefined ? null : replayOf(found.list);
    },
    async replayBlockTransactions({ block, kinds }, context) {
      checkKinds(kinds);
      const { block: found } = reader.requireBlock(block);
      const all = await traces.ofBlock(found, patienceOf(context));
      return all.map(({ list, transactionHash }) => ({ ...replayOf(list), transactionHash }));
    },
  };
}

/** A transaction as a call; one that runs no code and names no recipient calls its sender. */
function callOf({ to, value, input, gas, type }: Transaction, from: Address): CallArguments {
  const creates = type.effect === "deploy" || type.effect === "ethereum";
  const recipient = to ?? (creates ? undefined : from);
  return { from, value, input, gas, ...(recipient && { to: recipient }) };
}

/** The shape of a replayed transaction; what was not asked for is null. */
function replayOf(list: readonly FlatTrace[]): { [member: string]: Json } {
  const { output, code } = list[0]?.result ?? {};
  const trace = list as unknown as Json[];
  return { output: output ?? code ?? "0x", stateDiff: null, trace, vmTrace: null };
}

/** @throws RpcError -32000 for kinds that are not served */
function checkKinds(kinds: readonly string[]): void {
  const unserved = kinds.find((kind) => kind !== "trace");
  if (unserved === undefined) return;
  const hint = UNSERVED[unserved];
  throw refused(
    `${unserved.slice(0, 40)} is not supported, only trace${hint === undefined ? "" : `: ${hint}`}`,
  );
}
