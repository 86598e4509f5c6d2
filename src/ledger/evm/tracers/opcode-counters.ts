import type { Json } from "../../../protocol/codec/json/value.ts";
import type { StepInfo } from "../evm.ts";
import type { TransactionTracer } from "./tracer.ts";

/** Number of opcodes. */
export function opcodeCountTracer(): TransactionTracer {
  let count = 0;
  return {
    hooks: {
      step() {
        count++;
      },
    },
    result: () => count,
  };
}

/** How often each opcode ran; null when none did. */
export function unigramTracer(): TransactionTracer {
  return histogram(
    ({ opName }) => opName,
    (counts) => (counts.size > 0 ? Object.fromEntries(counts) : null),
  );
}

/** How often each opcode followed another one in the same call, as `PUSH1-MSTORE`. */
export function bigramTracer(): TransactionTracer {
  let last = "";
  let lastDepth = 0;
  return histogram(({ opName, depth }) => {
    const key = depth === lastDepth ? `${last}-${opName}` : undefined;
    last = opName;
    lastDepth = depth;
    return key;
  });
}

/** The same for three opcodes; the first step after a change of call only starts the next series. */
export function trigramTracer(): TransactionTracer {
  let last: [string, string] = ["", ""];
  let lastDepth = 0;
  return histogram(({ opName, depth }) => {
    if (depth !== lastDepth) {
      last = ["", ""];
      lastDepth = depth;
      return undefined;
    }
    const key = `${last[0]}-${last[1]}-${opName}`;
    last = [last[1], opName];
    return key;
  });
}

function histogram(
  keyOf: (step: StepInfo) => string | undefined,
  show: (counts: ReadonlyMap<string, number>) => Json = Object.fromEntries,
): TransactionTracer {
  const counts = new Map<string, number>();
  return {
    hooks: {
      step(step) {
        const key = keyOf(step);
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      },
    },
    result: () => show(counts),
  };
}
