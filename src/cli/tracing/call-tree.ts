import { functionResult, type Names } from "../../api/artifacts/names.ts";
import { isCreation, type TraceFrame } from "../../api/artifacts/trace-frame.ts";
import type { TracedContracts } from "../../api/artifacts/traced-contracts.ts";
import { consoleLines } from "../../node/service/activity/console-log.ts";
import { revertText } from "../../node/service/activity/revert-text.ts";
import { checksumAddress } from "../../protocol/account/address.ts";
import { bytesToHex, bytesToShortHex } from "../../protocol/primitives/hex.ts";
import { amount, grouped } from "../activity/amounts.ts";
import { type Paint, safe } from "../activity/paint.ts";

/** Maximum lines of a tree, and maximum levels of indentation. */
const MAX_LINES = 20_000;
const MAX_LEVELS = 64;
/** Bytes shown of an input or output that cannot be decoded. */
const MAX_BYTES = 68;
const CONSOLE = "0x000000000000000000636f6e736f6c652e6c6f67";

/** How a tree is drawn. */
export interface TreeStyle {
  readonly paint: Paint;
  readonly known: TracedContracts;
}

/** The call tree of a transaction: gas, call, value, events, storage changes, and the outcome of each call. */
export function callTree(root: TraceFrame, style: TreeStyle): readonly string[] {
  const lines: string[] = [];
  draw(root, { ...style, lines, indent: "  ", level: 0 });
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), "  …"] : lines;
}

interface Drawing extends TreeStyle {
  readonly lines: string[];
  readonly indent: string;
  readonly level: number;
}

function draw(frame: TraceFrame, drawing: Drawing): void {
  const { lines, indent, level } = drawing;
  if (lines.length > MAX_LINES) return;
  lines.push(`${indent}${callLine(frame, drawing)}`);
  const inner = level < MAX_LEVELS ? `${indent}  │ ` : indent;
  const below = { ...drawing, indent: `${inner.slice(0, -2)}├─`, level: level + 1 };
  frame.calls.forEach((call, i) => {
    eventLines(frame, i, below);
    drawInner(call, below, inner);
  });
  eventLines(frame, undefined, below);
  for (const { slot, from, to } of frame.storage)
    lines.push(`${below.indent} ${drawing.paint.dim(`storage ${safe(slot)}: ${safe(from)} → ${safe(to)}`)}`);
  lines.push(`${inner.slice(0, -2)}└─ ${endLine(frame, drawing)}`);
}

/** A nested call; for a call of the console, the text it writes. */
function drawInner(call: TraceFrame, drawing: Drawing, inner: string): void {
  if (bytesToHex(call.to) === CONSOLE) {
    const [text = ""] = consoleLines([call.input]);
    drawing.lines.push(`${drawing.indent} ${drawing.paint.dim("console.log")} ${safe(text)}`);
  } else draw(call, { ...drawing, indent: inner });
}

/** Events logged before the call with this index; undefined = those after the last call. */
function eventLines(
  frame: TraceFrame,
  before: number | undefined,
  { lines, indent, paint, known }: Drawing,
): void {
  const last = frame.calls.length;
  for (const log of frame.logs) {
    const place = Math.min(log.position, last);
    if (place !== (before ?? last)) continue;
    const topics = log.topics.map((topic) => bytesToHex(topic)).join(", ");
    const text = known.names.log(log) ?? `[${topics}] ${bytesToShortHex(log.data, MAX_BYTES)}`;
    lines.push(`${indent} ${paint.dim("emit")} ${safe(text)}`);
  }
}

function callLine(frame: TraceFrame, { paint, known }: TreeStyle): string {
  const { type, value, gasUsed, error } = frame;
  const kind = type === "CALL" || isCreation(frame) ? "" : ` ${paint.dim(`[${type.toLowerCase()}]`)}`;
  const worth = value > 0n && type !== "DELEGATECALL" ? ` ${paint.bold(`{${amount(value)}}`)}` : "";
  const text = safe(callText(frame, known.names));
  return `${paint.dim(`[${grouped(gasUsed)}]`)} ${error === undefined ? text : paint.red(text)}${worth}${kind}`;
}

function callText(frame: TraceFrame, names: Names): string {
  if (isCreation(frame)) {
    const created = frame.to.length === 20 ? ` @ ${checksumAddress(frame.to)}` : "";
    return `${names.creation(frame.input) ?? "new contract"}${created}`;
  }
  const target = frame.to.length === 20 ? checksumAddress(frame.to) : "nobody";
  const call = frame.input.length === 0 ? undefined : names.call(frame.to, frame.input);
  const contract = names.contract(frame.to);
  if (call !== undefined) return contract === undefined ? `${target}.${call}` : call;
  return `${contract ?? target}.${frame.input.length === 0 ? "()" : bytesToShortHex(frame.input, MAX_BYTES)}`;
}

function endLine(frame: TraceFrame, { paint, known }: TreeStyle): string {
  const { error, output, to } = frame;
  if (error !== undefined) {
    const said =
      output.length === 0
        ? undefined
        : (known.names.error(output, to) ?? revertText(output) ?? bytesToShortHex(output, MAX_BYTES));
    return paint.red(safe(`✘ ${error}${said === undefined ? "" : `: ${said}`}`));
  }
  if (isCreation(frame)) return paint.green(`✔ ${grouped(BigInt(output.length))} bytes of code`);
  if (output.length === 0) return paint.green("✔");
  const result =
    functionResult(known.contracts, known.of(frame), frame.input, output) ??
    bytesToShortHex(output, MAX_BYTES);
  return `${paint.green("✔")} ${safe(result)}`;
}
