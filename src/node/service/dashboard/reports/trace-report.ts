import { type Names, NO_NAMES } from "../../../../api/artifacts/names.ts";
import { isCreation, type TraceFrame } from "../../../../api/artifacts/trace-frame.ts";
import type { TraceNode } from "../../../../api/rpc/spec/dashboard/wire.ts";
import { revertReason } from "../../../../ledger/evm/revert-reason.ts";
import { bytesToHex, bytesToShortHex } from "../../../../protocol/primitives/hex.ts";
import { consoleLines } from "../../activity/console-log.ts";

/** Calls of one answer. */
const MAX_CALLS = 2_000;
/** Events, and changed slots, of one call. */
const MAX_ENTRIES = 200;
/** Characters of one text. */
const MAX_TEXT_LENGTH = 4_096;
/** Bytes of an input or output without a known ABI. */
const MAX_BYTES = 256;
const CONSOLE = "0x000000000000000000636f6e736f6c652e6c6f67";

/** The calls of a transaction with names, within bounds; `omitted` counts the calls beyond. */
export function traceTree(root: TraceFrame, names: Names = NO_NAMES): { root: TraceNode; omitted: number } {
  const count = { left: MAX_CALLS, omitted: 0 };
  return { root: nodeOf(root, names, count), omitted: count.omitted };
}

interface Count {
  left: number;
  omitted: number;
}

function nodeOf(frame: TraceFrame, names: Names, count: Count): TraceNode {
  count.left--;
  const calls: TraceNode[] = [];
  for (const call of frame.calls) {
    if (count.left > 0) calls.push(nodeOf(call, names, count));
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
    events: frame.logs.slice(0, MAX_ENTRIES).map((log) => {
      const text =
        names.log(log) ??
        `[${log.topics.map(bytesToHex).join(", ")}] ${bytesToShortHex(log.data, MAX_BYTES)}`;
      return text.slice(0, MAX_TEXT_LENGTH);
    }),
    storage: frame.storage.slice(0, MAX_ENTRIES),
    calls,
  };
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
