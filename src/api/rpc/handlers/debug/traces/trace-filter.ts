import type { Pace } from "../../../../../platform/runtime/turns/pace.ts";
import type { Address } from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { refused } from "../../../engine/errors.ts";
import {
  type FlatTrace,
  MAX_FILTERED_BLOCKS,
  MAX_FILTERED_TRACES,
  type PlacedFlatTrace,
  type TraceFilter,
} from "../../../spec/debug/flat-traces.ts";
import type { CallContext } from "../../../spec/method.ts";
import type { ChainReader } from "../../chain/chain-reader.ts";
import type { FlatTraces } from "./flat-trace-lists.ts";
import { callerOf, checkSize } from "./trace-plan.ts";

/** Where the traces come from. */
interface FilterDeps {
  readonly reader: ChainReader;
  readonly traces: FlatTraces;
  readonly pace: Pace;
}

/**
 * The matching traces of a range of blocks. All blocks share the time limit of one request.
 * @throws RpcError -32000 for too many blocks or traces, or too long ones; -32005
 */
export async function filteredTraces(
  filter: TraceFilter,
  { reader, traces, pace }: FilterDeps,
  context: CallContext,
): Promise<readonly PlacedFlatTrace[]> {
  const { after = 0n, count = BigInt(MAX_FILTERED_TRACES) } = filter;
  const [from, to] = rangeOf(filter, reader);
  const isMatch = matcher(filter);
  const caller = callerOf(context, traces.limits, context.allowance ?? { spentMs: 0 });
  const found: PlacedFlatTrace[] = [];
  let skipped = 0n;
  let characters = 0;
  for (let number = from; number <= to; number++) {
    if (pace.isDue()) await pace.yield();
    for (const trace of await traces.located(reader.requireBlock({ number }), caller, pace)) {
      if (pace.isDue()) await pace.yield();
      if (!isMatch(trace)) continue;
      if (skipped < after) skipped++;
      else if (BigInt(found.length) >= count) return found;
      else if (found.length === MAX_FILTERED_TRACES) throw tooMany();
      else {
        characters += lengthOf(trace);
        checkSize(characters, traces.limits.characters);
        found.push(trace);
      }
    }
    if (context.signal.aborted) return found;
  }
  return found;
}

function rangeOf({ fromBlock, toBlock }: TraceFilter, reader: ChainReader): [from: bigint, to: bigint] {
  const [from, to] = [reader.resolve(fromBlock ?? 0n), reader.resolve(toBlock ?? "latest")];
  if (from > to) throw refused("fromBlock is higher than toBlock");
  if (to - from >= MAX_FILTERED_BLOCKS)
    throw refused(`trace_filter takes at most ${MAX_FILTERED_BLOCKS} blocks at once: narrow the range`);
  return [from, to];
}

/** @throws RpcError -32000 for an unknown mode */
function matcher({ fromAddress = [], toAddress = [], mode = "intersection" }: TraceFilter) {
  if (mode !== "intersection" && mode !== "union") throw refused("mode must be intersection or union");
  const [senders, receivers] = [hexSet(fromAddress), hexSet(toAddress)];
  return (trace: FlatTrace): boolean => {
    const [from, to] = parties(trace);
    const [isFrom, isTo] = [senders.has(from), receivers.has(to)];
    if (mode === "union" && senders.size > 0 && receivers.size > 0) return isFrom || isTo;
    return (senders.size === 0 || isFrom) && (receivers.size === 0 || isTo);
  };
}

/** Caller and callee; the latter is empty for a failed creation. */
function parties({ type, action, result }: FlatTrace): readonly [from: string, to: string] {
  if (type === "suicide") return [action.address ?? "", action.refundAddress ?? ""];
  return [action.from ?? "", (type === "create" ? result?.address : action.to) ?? ""];
}

/** Characters of the members that may be long. */
function lengthOf({ action, result }: FlatTrace): number {
  return [...Object.values(action), ...Object.values(result ?? {})].reduce(
    (sum, text) => sum + String(text).length,
    0,
  );
}

function hexSet(addresses: readonly Address[]): ReadonlySet<string> {
  return new Set(addresses.map(bytesToHex));
}

function tooMany(): Error {
  return refused(`more than ${MAX_FILTERED_TRACES} traces match: set count, or request fewer blocks`);
}
