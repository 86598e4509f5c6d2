import { trimLeadingZeros } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateReader } from "../state.ts";
import type { StateJournal } from "./journal-types.ts";

/**
 * A view of a journal between two transactions, for executing the next ones elsewhere: in a worker thread, or in a
 * journal that may be discarded. Storage roots are those from before the journal, and say nothing about its slots. Valid
 * until the journal changes.
 */
export function journalView(state: StateJournal): StateReader {
  let codes: ReadonlyMap<string, Uint8Array> | undefined;
  return {
    account: (address) => state.account(address),
    storage: (address, slot) => trimLeadingZeros(state.storage(address, slot)),
    code: (hash) => {
      codes ??= newCodes(state);
      return codes.get(bytesToHex(hash)) ?? state.core.codeBelow(hash);
    },
  };
}

/** The code that only the journal has. */
function newCodes({ core }: StateJournal): ReadonlyMap<string, Uint8Array> {
  const codes = new Map<string, Uint8Array>();
  for (const { account, base, code } of core.accounts.entries) {
    if (account === undefined || code === undefined || account.codeHash === base?.codeHash) continue;
    if (code.length > 0) codes.set(bytesToHex(account.codeHash), code);
  }
  return codes;
}
