import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToBigint, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { StepView, Tracer } from "../evm.ts";
import { revertReason } from "../revert-reason.ts";
import { Op } from "../tables/op.ts";
import { InternalCalls } from "./internal-calls.ts";
import type { TracedOutcome, TracedTransaction, TransactionTracer } from "./tracer.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Maximum number of calls in the result; the costs of further ones are part of their parents'. */
const MAX_CALLS = 10_000;
/** Maximum number of logs and written slots in the result. */
const MAX_ENTRIES = 10_000;
/** Maximum total of inputs, outputs and data, bytes; beyond that, only their first four bytes are included. */
const MAX_BYTES = 4 << 20;
const SELECTOR = 4;

const WRITES: ReadonlySet<number> = new Set([Op.sstore, Op.log0, Op.log1, Op.log2, Op.log3, Op.log4]);

/** An open call. */
interface Frame {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly gas: bigint;
  readonly input: string;
  readonly value: bigint | undefined;
  /** Whether it may not write, as part of a STATICCALL. */
  readonly isStatic: boolean;
  readonly calls: Json[];
  readonly logs: Json[];
  readonly storage: Map<string, { slot: string; from: string; to: string }>;
  readonly inner: InternalCalls;
}

/** How a call ended. */
type End = Pick<Exit, "gasUsed" | "output" | "outcome"> & { readonly error?: string | undefined };

/**
 * The call tree with details for debugging: besides the members of `callTracer` each call has its `logs` (with the number of
 * calls before them as `position`), the slots that it wrote (`storage`), and if it failed, `at`, the program counters of the
 * internal calls that have not returned and finally of the failing opcode, and its last `jumps`. Logs and slots of reverted
 * calls are included, but no writes that failed themselves.
 */
export function executionTracer(transaction: TracedTransaction, state: StateJournal): TransactionTracer {
  const budget = new Budget();
  const root = rootFrame(transaction, budget);
  const open: (Frame | undefined)[] = [root];
  let rootEnd: End | undefined;
  return {
    hooks: {
      enter(call) {
        if (call.depth > 0) open.push(budget.takeCall() ? frameOf(call, open.at(-1), budget) : undefined);
      },
      exit(end) {
        if (end.depth === 0) {
          rootEnd = { ...end, output: end.output.slice() };
          return;
        }
        const frame = open.pop();
        if (frame !== undefined) open.at(-1)?.calls.push(showCall(frame, end, budget));
      },
      watcher: {
        before: (view) => open.at(-1)?.inner.onStep(view),
        after(view, { error }) {
          if (!WRITES.has(view.op) || error !== undefined || !budget.hasEntries) return;
          const frame = open.at(-1);
          if (frame !== undefined && !frame.isStatic) recordWrite(view, frame, state, budget);
        },
      },
    },
    result({ gasUsed, output, error }: TracedOutcome) {
      const outcome = rootEnd?.outcome ?? (error === undefined ? "success" : "vmError");
      return showCall(root, { gasUsed, output: rootEnd?.output ?? output, outcome, error }, budget);
    },
  };
}

/** How much may still be added to the result. */
class Budget {
  #calls = MAX_CALLS;
  #entries = MAX_ENTRIES;
  #bytes = MAX_BYTES;

  get hasEntries(): boolean {
    return this.#entries > 0;
  }

  takeCall(): boolean {
    return this.#calls-- > 0;
  }

  takeEntry(): void {
    this.#entries--;
  }

  /** Bytes in hex, truncated to a selector once the budget is used up. */
  hex(bytes: Uint8Array): string {
    if (bytes.length > this.#bytes) return bytesToHex(bytes.subarray(0, SELECTOR));
    this.#bytes -= bytes.length;
    return bytesToHex(bytes);
  }
}

function rootFrame({ from, to, isCreation, value, input, gas }: TracedTransaction, budget: Budget): Frame {
  const kind = isCreation ? "CREATE" : "CALL";
  return frameOf({ kind, from, to, value, input, gas, depth: 0 }, undefined, budget);
}

function frameOf(call: Enter, parent: Frame | undefined, budget: Budget): Frame {
  const { kind, from, to, gas, input, value } = call;
  return {
    ...{ kind, gas, from: bytesToHex(from), to: bytesToHex(to), input: budget.hex(input) },
    value: kind === "STATICCALL" ? undefined : value,
    isStatic: kind === "STATICCALL" || parent?.isStatic === true,
    ...{ calls: [], logs: [], storage: new Map(), inner: new InternalCalls() },
  };
}

/** Records a write that has been paid for, before it is executed. */
function recordWrite(view: StepView, frame: Frame, state: StateJournal, budget: Budget): void {
  const word = (depth: number) => wordAt(view, depth);
  if (view.op === Op.sstore) {
    const slot = word(0);
    const key = bytesToHex(slot);
    const known = frame.storage.get(key);
    if (known === undefined) budget.takeEntry();
    const from = known?.from ?? quantityOf(state.storage(view.address, slot));
    frame.storage.set(key, { slot: key, from, to: quantityOf(word(1)) });
    return;
  }
  budget.takeEntry();
  frame.logs.push({
    address: bytesToHex(view.address),
    topics: Array.from({ length: view.op - Op.log0 }, (_, i) => bytesToHex(word(2 + i))),
    data: budget.hex(dataOf(view, Number(bytesToBigint(word(0))), Number(bytesToBigint(word(1))))),
    position: quantity(BigInt(frame.calls.length)),
  });
}

/** A stack word, big-endian. @param depth - 0 = top */
function wordAt({ bytes, stackAt, height }: StepView, depth: number): Uint8Array {
  const start = stackAt + (height - 1 - depth) * 32;
  return bytes.slice(start, start + 32).reverse();
}

/** Memory that a step reads, which has been expanded for it. */
function dataOf({ bytes, memoryAt }: StepView, start: number, size: number): Uint8Array {
  return size === 0 ? EMPTY_BYTES : bytes.subarray(memoryAt + start, memoryAt + start + size);
}

function showCall(frame: Frame, end: End, budget: Budget): Json {
  const { kind, from, to, gas, input, value, calls, logs, storage, inner } = frame;
  const isReverted = end.outcome === "revert";
  const isFailed = end.error !== undefined;
  const reason = isReverted ? revertReason(end.output) : undefined;
  const changed = [...storage.values()].filter((slot) => slot.from !== slot.to);
  return {
    ...{ type: kind, from, to, gas: quantity(gas), gasUsed: quantity(end.gasUsed), input },
    ...(value !== undefined && { value: quantity(value) }),
    ...((isReverted || !isFailed) && end.output.length > 0 && { output: budget.hex(end.output) }),
    ...(isFailed && {
      error: isReverted ? "execution reverted" : (end.error as string),
      at: [...inner.positions],
      jumps: [...inner.jumps],
    }),
    ...(reason && { revertReason: reason }),
    ...(calls.length > 0 && { calls }),
    ...(logs.length > 0 && { logs }),
    ...(changed.length > 0 && { storage: changed }),
  };
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function quantityOf(bytes: Uint8Array): string {
  return quantity(bytesToBigint(bytes));
}
