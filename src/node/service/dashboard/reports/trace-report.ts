import { type Names, NO_NAMES } from "../../../../api/artifacts/names.ts";
import { isCreation, type TraceFrame } from "../../../../api/artifacts/trace-frame.ts";
import type { TraceNode } from "../../../../api/rpc/spec/dashboard/wire.ts";
import { revertReason } from "../../../../ledger/evm/revert-reason.ts";
import { bytesToHex, bytesToShortHex } from "../../../../protocol/primitives/hex.ts";
import { consoleLines } from "../../activity/console-log.ts";

/** Calls of one answer. */
const MAX_CALLS = 2_000;
/** Calls inside one another: a page that renders a thousand of them exceeds the browser's stack. */
const MAX_DEPTH = 64;
/** Events and changed slots of one answer, and of one call. */
const MAX_ENTRIES = { all: 2_000, call: 200 };
/** Characters of one text. */
const MAX_TEXT_LENGTH = 4_096;
/** Bytes of an input or output without a known ABI. */
const MAX_BYTES = 256;
const CONSOLE = "0x000000000000000000636f6e736f6c652e6c6f67";

/** The calls of a transaction with names, within bounds; `omitted` counts the calls beyond. */
export function traceTree(root: TraceFrame, names: Names = NO_NAMES): { root: TraceNode; omitted: number } {
  const count = { left: MAX_CALLS, entries: MAX_ENTRIES.all, omitted: 0 };
  return { root: nodeOf(root, names, count, 1), omitted: count.omitted };
}

interface Count {
  left: number;
  entries: number;
  omitted: number;
}

function nodeOf(frame: TraceFrame, names: Names, count: Count, depth: number): TraceNode {
  count.left--;
  const calls: TraceNode[] = [];
  for (const call of frame.calls) {
    if (count.left > 0 && depth < MAX_DEPTH) calls.push(nodeOf(call, names, count, depth + 1));
    else count.omitted++;
  }
  const named = nameOf(frame, names);
  return {
    type: frame.type,
    from: bytesToHex(frame.from),
    to: bytesToHex(frame.to),
    contract: names.contract(frame.to) ?? null,
    text: (named ?? bytesToShortHex(frame.input, MAX_BYTES)).slice(0, MAX_TEXT_LENGTH),
    isNamed: named !== undefined,
    value: String(frame.value),
    gasUsed: Number(frame.gasUsed),
    output: bytesToShortHex(frame.output, MAX_BYTES),
    error: errorOf(frame, names),
    events: entriesOf(frame.logs, count).map((log) => {
      const text =
        names.log(log) ??
        `[${log.topics.map(bytesToHex).join(", ")}] ${bytesToShortHex(log.data, MAX_BYTES)}`;
      return text.slice(0, MAX_TEXT_LENGTH);
    }),
    storage: entriesOf(frame.storage, count),
    calls,
  };
}

/** The first events, or changed slots, of a call. */
function entriesOf<T>(entries: readonly T[], count: Count): readonly T[] {
  const shown = entries.slice(0, Math.min(MAX_ENTRIES.call, count.entries));
  count.entries -= shown.length;
  count.omitted += entries.length - shown.length;
  return shown;
}

function nameOf(frame: TraceFrame, names: Names): string | undefined {
  if (isCreation(frame)) return names.creation(frame.input) ?? "new contract";
  if (bytesToHex(frame.to) === CONSOLE) return `console.log ${consoleLines([frame.input])[0] ?? ""}`;
  return frame.input.length === 0 ? "transfer" : names.call(frame.to, frame.input);
}

function errorOf({ error, output, to, reason }: TraceFrame, names: Names): string | null {
  if (error === undefined) return null;
  const said = names.error(output, to) ?? revertReason(output) ?? reason;
  return (said === undefined ? error : `${error}: ${said}`).slice(0, MAX_TEXT_LENGTH);
}
