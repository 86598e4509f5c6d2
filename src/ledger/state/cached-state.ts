import type { Account } from "../../protocol/account/account.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { StateReader } from "./state.ts";

/** Entries of each kind; a full cache is emptied. */
const MAX_ENTRIES = 10_000;

/** A caching view of a state, for work that runs over it repeatedly. The state must not change meanwhile. */
export function cachedState(state: StateReader): StateReader {
  const account = memoized<Account | undefined>();
  const storage = memoized<Uint8Array>();
  const code = memoized<Uint8Array>();
  return {
    account: (address) => account(bytesToHex(address), () => state.account(address)),
    storage: (address, slot) =>
      storage(bytesToHex(address) + bytesToHex(slot), () => state.storage(address, slot)),
    code: (hash) => code(bytesToHex(hash), () => state.code(hash)),
  };
}

function memoized<T>(): (key: string, read: () => T) => T {
  const known = new Map<string, T>();
  return (key, read) => {
    if (known.has(key)) return known.get(key) as T;
    const value = read();
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(key, value);
    return value;
  };
}
