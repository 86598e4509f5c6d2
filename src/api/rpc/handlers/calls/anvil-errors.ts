import { ERROR_SELECTOR, panicCode, revertReason } from "../../../../ledger/evm/revert-reason.ts";
import { CallError, type RejectionCode, TransactionRejection } from "../../../../ledger/execution/errors.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";

const UNPAID: ReadonlySet<RejectionCode> = new Set(["INSUFFICIENT_FUNDS", "INSUFFICIENT_VALUE"]);

/** Anvil's names of Solidity's panics, which tests of libraries expect. */
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic/unspecified error",
  "1": "assertion failed",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "failed to convert value into enum type",
  "34": "storage byte array incorrectly encoded",
  "49": "called `.pop()` on an empty array",
  "50": "array out-of-bounds access",
  "65": "memory allocation error",
  "81": "called an invalid internal function",
};

const SELECTOR_BYTES = 4;
/** Bytes of a custom error's arguments in its message: a contract may return megabytes. `data` has all of them. */
const MAX_SHOWN_BYTES = 1024;

/**
 * The error of a failed call as anvil words it: the reason of a revert, a revert without output as one with empty output, and
 * `Insufficient funds …`, by which ethers and viem recognize a missing balance. Other errors stay as they are.
 */
export function toAnvilError(error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  const { code, message, cause } = error;
  if (code === "REVERTED_BARE")
    return new CallError("REVERTED", "execution reverted", { data: "0x" }, { cause: error });
  if (code === "REVERTED") {
    const { data } = error.details as { data: string };
    return new CallError(code, revertMessage(hexToBytes(data)), { data }, { cause: error });
  }
  const isUnpaid = cause instanceof TransactionRejection && UNPAID.has(cause.code);
  if (!isUnpaid && code !== "ESTIMATE_FUNDS") return error;
  return new CallError(code, "Insufficient funds for gas * price + value", { hint: message }, { cause });
}

/** The message of a revert with this output. */
export function revertMessage(output: Uint8Array): string {
  const words = reasonText(output);
  return words === undefined ? "execution reverted" : `execution reverted: ${words}`;
}

function reasonText(output: Uint8Array): string | undefined {
  const panic = panicCode(output);
  if (panic !== undefined) return panicText(panic);
  if (output.length === 0) return undefined;
  if (output.length < SELECTOR_BYTES) return `custom error bytes ${bytesToHex(output)}`;
  const selector = bytesToHex(output.subarray(0, SELECTOR_BYTES));
  if (selector === ERROR_SELECTOR) return revertReason(output);
  const text = `custom error ${selector}`;
  return output.length === SELECTOR_BYTES ? text : `${text}: ${shown(output.subarray(SELECTOR_BYTES))}`;
}

function panicText(code: bigint): string {
  const digits = code.toString(16);
  const name = PANICS[code.toString()];
  return name === undefined
    ? `panic: unknown code (0x${digits})`
    : `panic: ${name} (0x${digits.padStart(2, "0")})`;
}

/** As text where the bytes are one, else in hex without a prefix. */
function shown(bytes: Uint8Array): string {
  const first = bytes.subarray(0, MAX_SHOWN_BYTES);
  const rest = bytes.length > first.length ? "…" : "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(first) + rest;
  } catch {
    return bytesToHex(first).slice(2) + rest;
  }
}
