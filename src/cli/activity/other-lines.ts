import type { BlockEvent, CallEvent, RemovalEvent } from "../../node/index.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { addressText } from "./address-text.ts";
import { counted, grouped } from "./amounts.ts";
import { safe } from "./paint.ts";
import { bytesOfText, reasonOf } from "./reasons.ts";
import type { LineStyle } from "./transaction-lines.ts";

const INDENT = "      ";
/** JSON-RPC error code of a reverted call. */
const REVERTED = 3;

/** A call that failed or wrote to the console: the callee, the error, the console output. */
export function callLines(
  { method, message, error, console }: CallEvent,
  style: LineStyle,
  trace: readonly string[] = [],
): readonly string[] {
  const { paint, names } = style;
  const to = addressOf(message?.to);
  const target = to === undefined ? "" : ` → ${targetOf(to, message?.input, style)}`;
  const mark = error === undefined ? paint.dim("·") : paint.red("✘");
  const lines = [`  ${mark} ${safe(method)}${target}`];
  if (error !== undefined) {
    const output = error.code === REVERTED ? bytesOfText(error.data) : undefined;
    const why = reasonOf({ error: `${error.message} (${error.code})`, output, contract: to }, names);
    lines.push(
      `${INDENT}${paint.red(safe(why))}`,
      ...trace.map((line) => `${INDENT}  ${paint.red(safe(line))}`),
    );
  }
  return [...lines, ...console.map((line) => `${INDENT}${paint.dim("console.log")} ${safe(line)}`)];
}

function addressOf(text: string | undefined): Uint8Array | undefined {
  const bytes = bytesOfText(text);
  return bytes?.length === 20 ? bytes : undefined;
}

function targetOf(to: Uint8Array, input: string | undefined, { names }: LineStyle): string {
  const data = bytesOfText(input);
  const called = data && data.length > 0 ? names.call(to, data) : undefined;
  const name = names.contract(to);
  if (called !== undefined) return safe(called);
  return name === undefined ? addressText(to) : `${addressText(to)} (${safe(name)})`;
}

/** A block of several transactions. */
export function blockLine({ number, hash, transactions, gasUsed }: BlockEvent, { paint }: LineStyle): string {
  const held = `${counted(transactions, "transaction")}, gas ${grouped(gasUsed)}`;
  return paint.dim(`  block ${number} ${bytesToHex(hash)}: ${held}`);
}

/** Blocks removed by a reorganisation or a rewind. */
export function removalLine({ first, last, transactions }: RemovalEvent, { paint }: LineStyle): string {
  const blocks = first === last ? `block ${first}` : `blocks ${first} to ${last}`;
  return `  ${paint.bold(`↩ ${blocks} removed`)}, with ${counted(transactions, "transaction")}`;
}
