import { CURVE_ORDER } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, bytesToBigint, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { refused } from "../errors.ts";

/** A private key as text, taken apart. */
export interface RawKey {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  /** The account of a wallet key, when it differs from the key's own or not. */
  readonly address?: Address;
}

const WALLET_KEY_LENGTH = 110;

/**
 * Reads a private key: 64 hex digits, or a wallet key of 110 characters (64 digits of the key, 2 characters, 2 digits of
 * the type, 2 characters, 40 digits of the address).
 * @param network whose name the texts carry
 * @throws RpcError -32000 with the reference's texts
 */
export function parseRawKey(text: string, network: "Klaytn" | "Kaia"): RawKey {
  if (text.length !== WALLET_KEY_LENGTH) return { privateKey: parseKey(text) };
  if (text.slice(66, 68) !== "00") throw refused(`${network} wallet key type must be 00.`);
  const digits = text.slice(70);
  // The reference stores text that is no address under the zero address.
  const address = /^[0-9a-fA-F]{40}$/.test(digits) ? hexToBytes(`0x${digits}`) : ZERO_ADDRESS;
  return { privateKey: parseKey(text.slice(0, 64)), address };
}

function parseKey(text: string): Uint8Array {
  if (!/^([0-9a-fA-F]{2})*$/.test(text)) throw refused("invalid hex string");
  const key = hexToBytes(`0x${text}`);
  if (key.length !== 32) throw refused("invalid length, need 256 bits");
  const scalar = bytesToBigint(key);
  if (scalar >= CURVE_ORDER) throw refused("invalid private key, >=N");
  if (scalar === 0n) throw refused("invalid private key, zero or negative");
  return key;
}
