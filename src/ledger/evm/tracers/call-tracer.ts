import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import type { Outcome, Tracer } from "../evm.ts";
import { revertReason } from "../revert-reason.ts";
import type { TracedOutcome, TracedTransaction, TransactionTracer } from "./tracer.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** An open call. */
interface CallFrame {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly gas: bigint;
  readonly input: string;
  /** Absent for STATICCALL. */
  readonly value?: bigint;
  readonly calls: Json[];
}

/** How a call ended. */
interface CallEnd {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  readonly outcome: Outcome;
  readonly error?: string | undefined;
}

/** The call tree; the root is the transaction itself, with its gas limit. */
export function callTracer(transaction: TracedTransaction): TransactionTracer {
  const root: CallFrame = rootFrame(transaction);
  const open: CallFrame[] = [root];
  let rootEnd: Exit | undefined;

  function exit(end: Exit): void {
    if (end.depth === 0) {
      rootEnd = { ...end, output: end.output.slice() };
      return;
    }
    const frame = open.pop() as CallFrame;
    open.at(-1)?.calls.push(showCall(frame, end));
  }

  return {
    hooks: {
      enter(call) {
        if (call.depth > 0) open.push(frameOf(call));
      },
      exit,
    },
    result: ({ gasUsed, output, error }: TracedOutcome) => {
      const outcome = rootEnd?.outcome ?? (error === undefined ? "success" : "vmError");
      return showCall(root, { gasUsed, output: rootEnd?.output ?? output, outcome, error });
    },
  };
}

function rootFrame({ from, to, isCreation, value, input, gas }: TracedTransaction): CallFrame {
  return {
    kind: isCreation ? "CREATE" : "CALL",
    from: bytesToHex(from),
    to: bytesToHex(to),
    gas,
    input: bytesToHex(input),
    value,
    calls: [],
  };
}

function frameOf({ kind, from, to, gas, input, value }: Enter): CallFrame {
  return {
    kind,
    from: bytesToHex(from),
    to: bytesToHex(to),
    gas,
    input: bytesToHex(input),
    ...(kind !== "STATICCALL" && { value }),
    calls: [],
  };
}

/** As in the reference node, a failed creation has no `to`, and only returns and reverts have output. */
function showCall(frame: CallFrame, end: CallEnd): Json {
  const { kind, calls, value } = frame;
  const isReverted = end.outcome === "revert";
  const isFailed = end.error !== undefined;
  const hasTarget = !isFailed || !kind.startsWith("CREATE");
  const reason = isReverted ? revertReason(end.output) : undefined;
  return {
    from: frame.from,
    gas: hexQuantity(frame.gas),
    gasUsed: hexQuantity(end.gasUsed),
    ...(hasTarget && { to: frame.to }),
    input: frame.input,
    ...((isReverted || !isFailed) && end.output.length > 0 && { output: bytesToHex(end.output) }),
    ...(isFailed && { error: isReverted ? "execution reverted" : (end.error as string) }),
    ...(reason && { revertReason: reason }),
    ...(isReverted && {
      reverted: { ...(hasTarget && { contract: frame.to }), ...(reason && { message: reason }) },
    }),
    ...(calls.length > 0 && { calls }),
    ...(value !== undefined && { value: hexQuantity(value) }),
    type: kind,
  };
}
