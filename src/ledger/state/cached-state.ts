import type { Account } from "../../protocol/account/account.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { LruMap } from "../../protocol/primitives/lru.ts";
import type { StateReader } from "./state.ts";

/** Accounts, and slots; a full cache is emptied. */
const MAX_ENTRIES = 10_000;
/** Bytes of all codes; the least recently used ones are evicted. */
const MAX_CODE_BYTES = 16 * 1024 * 1024;
/** What an entry costs besides its code. */
const ENTRY_BYTES = 200;

/** A caching view of a state, for work that runs over it repeatedly. The state must not change meanwhile. */
export function cachedState(state: StateReader): StateReader {
  const account = memoized<Account | undefined>();
  const storage = memoized<Uint8Array>();
  const codes = new LruMap<string, Uint8Array>(MAX_CODE_BYTES, ({ length }) => length + ENTRY_BYTES);
  return {
    account: (address) => account(bytesToHex(address), () => state.account(address)),
    storage: (address, slot) =>
      storage(bytesToHex(address) + bytesToHex(slot), () => state.storage(address, slot)),
    code(hash) {
      const key = bytesToHex(hash);
      const known = codes.get(key);
      if (known !== undefined) return known;
      const code = state.code(hash);
      codes.set(key, code);
      return code;
    },
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
