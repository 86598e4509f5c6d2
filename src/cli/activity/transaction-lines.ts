import type { Names } from "../../api/artifacts/names.ts";
import type { TransactionEvent } from "../../node/index.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { addressText } from "./address-text.ts";
import { amount, grouped } from "./amounts.ts";
import { type Paint, safe } from "./paint.ts";
import { reasonOf } from "./reasons.ts";

/** Options for formatting lines. */
export interface LineStyle {
  readonly paint: Paint;
  readonly names: Names;
}

const TYPE_PREFIX = "TxType";
/** Maximum number of a transaction's logs shown by name. */
const MAX_LOGS = 10;
const INDENT = "      ";

/**
 * A transaction as several lines: its type, sender and recipient, its fee and who paid it, its outcome, and what
 * contracts logged.
 */
export function transactionLines(
  event: TransactionEvent,
  style: LineStyle,
  trace: readonly string[] = [],
): readonly string[] {
  const { paint } = style;
  const isGood = event.receipt.status === 1;
  const mark = isGood ? paint.green("✔") : paint.red("✘");
  const type = paint.bold(event.transaction.type.name.slice(TYPE_PREFIX.length));
  return [
    `  ${mark} ${type}  ${bytesToHex(event.hash)}`,
    `${INDENT}${partiesOf(event, style)}`,
    ...callOf(event, style),
    `${INDENT}${paint.dim(costOf(event))}`,
    ...(isGood ? [] : failureOf(event, style, trace)),
    ...event.console.map((line) => `${INDENT}${paint.dim("console.log")} ${safe(line)}`),
    ...logsOf(event, style),
  ];
}

/** From, to or created address, value. */
function partiesOf(event: TransactionEvent, style: LineStyle): string {
  const { to, value } = event.transaction;
  const from = addressText(event.sender);
  const worth = value > 0n ? `   ${amount(value)}` : "";
  if (to !== undefined) return `${from} → ${withName(to, style)}${worth}`;
  const created = createdAddress(event);
  return created === undefined
    ? `${from}${worth}`
    : `${from} → new contract ${withName(created, style)}${worth}`;
}

/** The contract that a transaction creates; undefined if it creates none. */
export function createdAddress({
  transaction: { to, type },
  receipt,
}: TransactionEvent): Uint8Array | undefined {
  const creates = to === undefined && (type.effect === "deploy" || type.effect === "ethereum");
  return creates ? receipt.contractAddress : undefined;
}

function withName(address: Uint8Array, { names, paint }: LineStyle): string {
  const name = names.contract(address);
  return `${addressText(address)}${name === undefined ? "" : ` (${paint.bold(safe(name))})`}`;
}

function callOf(event: TransactionEvent, { names }: LineStyle): readonly string[] {
  const { to, input } = event.transaction;
  const isCreation = createdAddress(event) !== undefined;
  const called = isCreation
    ? names.creation(input)
    : to && input.length > 0
      ? names.call(to, input)
      : undefined;
  return called === undefined ? [] : [`${INDENT}${safe(called)}`];
}

function costOf({ transaction, receipt, fee, shares, blockNumber }: TransactionEvent): string {
  const gas = `gas ${grouped(receipt.gasUsed)} of ${grouped(transaction.gas)}`;
  return `${gas} · fee ${amount(fee)}${payerOf(transaction, shares)} · block ${blockNumber}`;
}

/** The payers, unless the sender pays alone. */
function payerOf(
  { feePayer, feeRatio, type }: TransactionEvent["transaction"],
  shares: TransactionEvent["shares"],
): string {
  if (type.feeMode === "sender" || feePayer === undefined) return "";
  const payer = addressText(feePayer);
  if (type.feeMode === "feePayer") return ` paid by ${payer}`;
  return `: ${feeRatio} % (${amount(shares.feePayer)}) paid by ${payer}`;
}

function failureOf(event: TransactionEvent, { paint, names }: LineStyle, trace: readonly string[]) {
  const { error = "failed", reason, output, transaction } = event;
  const contract = transaction.to ?? createdAddress(event);
  const why = reasonOf({ error, reason, output, contract }, names);
  return [`${INDENT}${paint.red(safe(why))}`, ...trace.map((line) => `${INDENT}  ${paint.red(safe(line))}`)];
}

function logsOf({ receipt: { logs } }: TransactionEvent, { paint, names }: LineStyle): readonly string[] {
  const named = logs.slice(0, MAX_LOGS).flatMap((log) => names.log(log) ?? []);
  if (named.length === 0) return [];
  const rest = logs.length - named.length;
  const lines = named.map((line) => `${INDENT}${paint.dim("event")} ${safe(line)}`);
  return rest === 0 ? lines : [...lines, `${INDENT}${paint.dim(`and ${rest} more`)}`];
}
