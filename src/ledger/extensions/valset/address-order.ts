import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";

const spellings = new LruMap<string, string>(1_024);

/**
 * Addresses sorted by their EIP-55 checksum form as text, where upper case sorts before lower case.
 * @see EIP-55; the order of validators in the reference node
 */
export function sortAddresses(addresses: readonly Address[]): Address[] {
  return addresses
    .map((address) => ({ address, spelling: spellingOf(address) }))
    .sort((a, b) => (a.spelling < b.spelling ? -1 : a.spelling > b.spelling ? 1 : 0))
    .map(({ address }) => address);
}

/** The hex digits of an address in EIP-55 checksum form. */
function spellingOf(address: Address): string {
  const digits = bytesToHex(address).slice(2);
  let spelling = spellings.get(digits);
  if (spelling === undefined) {
    const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2);
    spelling = Array.from(digits, (digit, i) =>
      (hash[i] as string) >= "8" ? digit.toUpperCase() : digit,
    ).join("");
    spellings.set(digits, spelling);
  }
  return spelling;
}
