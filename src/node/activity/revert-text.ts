import { revertReason } from "../../ledger/evm/revert-reason.ts";

/** The text of `Error(string)` in quotation marks, or the meaning of `Panic(uint256)`; undefined for anything else. */
export function revertText(output: Uint8Array): string | undefined {
  const reason = revertReason(output);
  return reason === undefined ? undefined : JSON.stringify(reason);
}
