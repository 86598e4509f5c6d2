import type { Json } from "../../../protocol/codec/json/value.ts";
import { throwNoResult } from "./errors.ts";
import type { TransactionTracer } from "./tracer.ts";

/** Placeholder for the opcodes before the first one. */
const NONE = 256;

/** Number of opcodes. */
export function opcodeCountTracer(): TransactionTracer {
  let count = 0;
  return {
    hooks: {
      opcode() {
        count++;
      },
    },
    result: () => count,
  };
}

/** Number of executions by opcode; fails without a result if there were none. */
export function unigramTracer(): TransactionTracer {
  return histogram(
    1,
    (op) => op,
    (counts) => (Object.keys(counts).length > 0 ? counts : throwNoResult()),
  );
}

/** Number of occurrences of each pair of consecutive opcodes in the same call, as `PUSH1-MSTORE`. */
export function bigramTracer(): TransactionTracer {
  let last = NONE;
  let lastDepth = 0;
  return histogram(2, (op, depth) => {
    const series = depth === lastDepth ? (last << 9) | op : undefined;
    last = op;
    lastDepth = depth;
    return series;
  });
}

/** The same for three opcodes; the first step after a change of call is skipped. */
export function trigramTracer(): TransactionTracer {
  let [first, second] = [NONE, NONE];
  let lastDepth = 0;
  return histogram(3, (op, depth) => {
    if (depth !== lastDepth) {
      [first, second] = [NONE, NONE];
      lastDepth = depth;
      return undefined;
    }
    const series = (first << 18) | (second << 9) | op;
    first = second;
    second = op;
    return series;
  });
}

type Counts = { [series: string]: Json };

/**
 * Counts n-grams of opcodes, nine bits each, the last one lowest.
 * @param seriesOf - the n-gram that ends with an opcode; undefined = none
 */
function histogram(
  length: number,
  seriesOf: (op: number, depth: number) => number | undefined,
  show: (counts: Counts) => Json = (counts) => counts,
): TransactionTracer {
  const counts = new Map<number, number>();
  const names: string[] = [];
  names[NONE] = "";
  const text = (series: number): string =>
    Array.from({ length }, (_, i) => names[(series >>> (9 * (length - 1 - i))) & 0x1ff]).join("-");
  return {
    hooks: {
      opcode(op, name, depth) {
        names[op] = name;
        const series = seriesOf(op, depth);
        if (series !== undefined) counts.set(series, (counts.get(series) ?? 0) + 1);
      },
    },
    result: () => show(Object.fromEntries([...counts].map(([series, count]) => [text(series), count]))),
  };
}
