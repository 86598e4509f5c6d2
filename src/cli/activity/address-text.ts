import { checksumAddress } from "../../protocol/account/address.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { LruMap } from "../../protocol/primitives/lru.ts";

/** Cached, since a checksum costs a hash, and the same few addresses recur. */
const spelled = new LruMap<string, string>(1024);

/** An address with its checksum. @see EIP-55 */
export function addressText(address: Uint8Array): string {
  const hex = bytesToHex(address);
  let text = spelled.get(hex);
  if (text === undefined) {
    text = checksumAddress(address);
    spelled.set(hex, text);
  }
  return text;
}
