import { encodeItem } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { type Address, bigintToBytes, concat, type Hash } from "../primitives/bytes.ts";
import { bytesToHex, type Hex } from "../primitives/hex.ts";

/** Spells an address with its checksum. @see EIP-55 */
export function checksumAddress(address: Address): Hex {
  const digits = bytesToHex(address).slice(2);
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2);
  let text = "";
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i] as string;
    text += (hash[i] as string) >= "8" ? digit.toUpperCase() : digit;
  }
  return `0x${text}`;
}

/** Address of the contract that an account creates with its nonce. @see Yellow Paper, section 7 */
export function contractAddress(creator: Address, nonce: bigint): Address {
  return keccak256(encodeItem([creator, bigintToBytes(nonce)])).slice(12);
}

/** Address of a contract created by CREATE2. @param salt - 32 bytes @see EIP-1014 */
export function saltedContractAddress(creator: Address, salt: Hash, initCodeHash: Hash): Address {
  return keccak256(concat(Uint8Array.of(0xff), creator, salt, initCodeHash)).slice(12);
}
