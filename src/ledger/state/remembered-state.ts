import type { Account } from "../../protocol/account/account.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { StateReader } from "./state.ts";

/** Most entries of each kind; beyond that the memory is emptied. */
const MOST = 10_000;

/** A caching view of a state, for work that runs over it repeatedly. They must not change meanwhile. */
export function rememberedState(state: StateReader): StateReader {
  const account = remembered<Account | undefined>();
  const storage = remembered<Uint8Array>();
  const code = remembered<Uint8Array>();
  return {
    account: (address) => account(bytesToHex(address), () => state.account(address)),
    storage: (address, slot) =>
      storage(bytesToHex(address) + bytesToHex(slot), () => state.storage(address, slot)),
    code: (hash) => code(bytesToHex(hash), () => state.code(hash)),
  };
}

function remembered<T>(): (key: string, read: () => T) => T {
  const known = new Map<string, T>();
  return (key, read) => {
    if (known.has(key)) return known.get(key) as T;
    const value = read();
    if (known.size >= MOST) known.clear();
    known.set(key, value);
    return value;
  };
}
