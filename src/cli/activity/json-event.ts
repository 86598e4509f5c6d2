import type { Names } from "../../api/artifacts/names.ts";
import type { NodeEvent, TransactionEvent } from "../../node/index.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { visibleJson } from "../../protocol/primitives/visible.ts";
import { bytesOfText } from "./reasons.ts";
import { createdAddress } from "./transaction-lines.ts";

/** Maximum characters of data in an event: longer data is cut and ends in `…`. */
const MAX_LENGTH = 4096;

/** An event as one line of JSON. Amounts are decimal texts in kei. */
export function jsonLine(event: NodeEvent, names: Names, trace: readonly string[] = []): string {
  const members = { event: event.kind, ...membersOf(event, names), ...(trace.length > 0 && { trace }) };
  return `${visibleJson(JSON.stringify(members))}\n`;
}

function membersOf(event: NodeEvent, names: Names): object {
  switch (event.kind) {
    case "transaction":
      return transactionMembers(event, names);
    case "call": {
      const { method, durationMs, message, error, console } = event;
      return {
        method,
        ms: Math.round(durationMs * 1000) / 1000,
        ...(message && Object.fromEntries(Object.entries(message).map(([key, text]) => [key, cut(text)]))),
        ...(error && {
          error: { code: error.code, message: cut(error.message), ...dataOf(error.data) },
          ...named("reason", reasonIn(error.data, message?.to, names)),
        }),
        ...(console.length > 0 && { console }),
      };
    }
    case "block": {
      const { number, hash, time, transactions, gasUsed } = event;
      return {
        number: Number(number),
        hash: bytesToHex(hash),
        time: Number(time),
        transactions,
        gasUsed: Number(gasUsed),
      };
    }
    case "removal":
      return { first: Number(event.first), last: Number(event.last), transactions: event.transactions };
  }
}

function transactionMembers(event: TransactionEvent, names: Names): object {
  const { transaction, receipt, sender, shares, output, error, console } = event;
  const { to, feePayer, feeRatio, input, type } = transaction;
  const created = createdAddress(event);
  const contract = to ?? created;
  const reason = output && output.length > 0 ? (names.error(output, contract) ?? event.reason) : undefined;
  return {
    hash: bytesToHex(event.hash),
    type: type.name,
    block: Number(event.blockNumber),
    index: event.index,
    from: bytesToHex(sender),
    ...(to && { to: bytesToHex(to) }),
    ...(created && { created: bytesToHex(created) }),
    ...named("contract", contract && names.contract(contract)),
    ...named(
      "call",
      created ? names.creation(input) : to && input.length > 0 ? names.call(to, input) : undefined,
    ),
    value: String(transaction.value),
    gasLimit: String(transaction.gas),
    gasUsed: Number(receipt.gasUsed),
    gasPrice: String(event.price),
    fee: String(event.fee),
    ...(feePayer && { feePayer: bytesToHex(feePayer), feePaidByFeePayer: String(shares.feePayer) }),
    ...(feeRatio !== undefined && { feeRatio }),
    status: receipt.status === 1 ? "success" : "failed",
    ...named("error", error),
    ...named("reason", reason),
    ...(output && output.length > 0 && { output: cut(bytesToHex(output)) }),
    logs: receipt.logs.length,
    ...(console.length > 0 && { console }),
  };
}

function reasonIn(data: unknown, to: string | undefined, names: Names): string | undefined {
  const output = bytesOfText(data);
  return output && names.error(output, bytesOfText(to));
}

function dataOf(data: unknown): object {
  return typeof data === "string" ? { data: cut(data) } : {};
}

function named(name: string, text: string | undefined): object {
  return text === undefined ? {} : { [name]: cut(text) };
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
