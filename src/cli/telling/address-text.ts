import { checksumAddress } from "../../protocol/account/address.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { LruMap } from "../../protocol/primitives/lru.ts";

/** Spelling an address takes a hash, and the same few come again and again. */
const spelled = new LruMap<string, string>(1024);

/** An address as people compare it. @see EIP-55 */
export function addressText(address: Uint8Array): string {
  const hex = bytesToHex(address);
  let text = spelled.get(hex);
  if (text === undefined) {
    text = checksumAddress(address);
    spelled.set(hex, text);
  }
  return text;
}
