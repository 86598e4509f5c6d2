import { panicCode, panicMeaning, revertReason } from "../../../ledger/evm/revert-reason.ts";

/**
 * The text of `Error(string)` in quotation marks, or a panic by its meaning: `panic: division or modulo by zero (0x12)`;
 * undefined for anything else.
 */
export function revertText(output: Uint8Array): string | undefined {
  const code = panicCode(output);
  if (code !== undefined)
    return `panic: ${panicMeaning(code) ?? "unknown code"} (0x${code.toString(16).padStart(2, "0")})`;
  const reason = revertReason(output);
  return reason === undefined ? undefined : JSON.stringify(reason);
}
