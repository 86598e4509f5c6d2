import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { HostOpcodeView } from "../evm.ts";
import { Op } from "../tables/op.ts";
import type { TracedTransaction, TransactionTracer } from "./tracer.ts";

/** Depth on the stack of a call's input offset, by opcode; its size is below. */
const INPUT_AT: Readonly<Record<number, number>> = {
  [Op.call]: 3,
  [Op.callCode]: 3,
  [Op.delegateCall]: 2,
  [Op.staticCall]: 2,
};
/** As in the reference node, which uses its oldest table. */
const LAST_PRECOMPILE = 0x0bn;
const ADDRESS_MASK = (1n << 160n) - 1n;

/** Number of calls by method: selector, dash, size of the arguments in bytes. */
export function fourByteTracer({ input }: TracedTransaction): TransactionTracer {
  const counts = new Map<string, number>();

  function note(selector: Uint8Array, argumentBytes: number): void {
    const key = `${bytesToHex(selector)}-${argumentBytes}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  return {
    hooks: {
      hostOpcode(step) {
        const call = innerCall(step);
        if (call !== undefined && call.size >= 4) note(call.selector, call.size - 4);
      },
    },
    result() {
      if (input.length >= 4) note(input.subarray(0, 4), input.length - 4);
      return Object.fromEntries(counts);
    },
  };
}

/** The input of a call; undefined if the step is not a call or calls a precompiled contract. */
function innerCall(step: HostOpcodeView): { selector: Uint8Array; size: number } | undefined {
  const at = INPUT_AT[step.op];
  if (at === undefined) return undefined;
  const { memory } = step;
  const peek = (depth: number) => step.word(depth) ?? 0n;
  const target = peek(1) & ADDRESS_MASK;
  if (target > 0n && target <= LAST_PRECOMPILE) return undefined;
  const start = Number(peek(at));
  // memory has been expanded for the input already
  return { selector: memory.subarray(start, start + 4), size: Number(peek(at + 1)) };
}
