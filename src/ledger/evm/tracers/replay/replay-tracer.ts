import { stringify } from "../../../../protocol/codec/json/value.ts";
import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import type { Tracer } from "../../evm.ts";
import { flatCallTracer } from "../flat-call-tracer.ts";
import type { TracedOutcome, TracedTransaction } from "../tracer.ts";
import { VmTrace } from "./vm-trace.ts";

/** Optional members of a replay. */
export interface ReplayParts {
  readonly trace: boolean;
  readonly vmTrace: boolean;
  readonly stateDiff: boolean;
}

/** Traces one transaction for a replay. */
export interface ReplayTracer {
  readonly hooks: Tracer;
  /** JSON text. @param stateDiff - JSON text of that member @throws TracerError `TRACE_TOO_LARGE` */
  resultText(outcome: TracedOutcome, stateDiff: string): string;
}

/**
 * Creates a tracer whose result is in the format of OpenEthereum's replays: `output`, `stateDiff`, `trace`, `vmTrace`. A `trace`
 * that was not requested is empty, the others are null.
 */
export function replayTracer(
  parts: ReplayParts,
  transaction: TracedTransaction,
  state: StateJournal,
): ReplayTracer {
  const flat = parts.trace ? flatCallTracer(transaction) : undefined;
  const vm = parts.vmTrace ? new VmTrace(state) : undefined;
  let output = EMPTY_BYTES;
  return {
    hooks: {
      enter(call) {
        flat?.hooks?.enter?.(call);
        vm?.enter(call);
      },
      exit(end) {
        flat?.hooks?.exit?.(end);
        vm?.exit(end);
        const isShown = end.outcome === "success" || end.outcome === "revert";
        if (end.depth === 0 && isShown) output = end.output.slice();
      },
      ...(vm && { watcher: vm.watcher }),
    },
    resultText(outcome, stateDiff) {
      const trace = flat === undefined ? "[]" : stringify(flat.result?.(outcome) ?? []);
      const steps = vm?.text ?? "null";
      return `{"output":"${bytesToHex(output)}","stateDiff":${stateDiff},"trace":${trace},"vmTrace":${steps}}`;
    },
  };
}
