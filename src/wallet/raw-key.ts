import { type Secret, secretBytes } from "../protocol/codec/json/secret.ts";
import { CURVE_ORDER } from "../protocol/crypto/curve.ts";
import { type Address, bigintToFixedBytes, compareBytes, isZeroBytes } from "../protocol/primitives/bytes.ts";
import { hexDigit } from "../protocol/primitives/hex.ts";
import { WalletError } from "./errors.ts";

/** A private key given by a user. */
export interface RawKey {
  /** 32 bytes, owned by the caller, who wipes it after use. */
  readonly privateKey: Uint8Array;
  /** Account of the key, if the text has one; it may differ from the key's own address (decoupled account). */
  readonly address?: Address;
}

/** Keys are compared as bytes: a bigint could not be wiped. */
const ORDER = bigintToFixedBytes(CURVE_ORDER, 32);
/** Length of a wallet key: 64 digits of key, `0x` and 2 of type, `0x` and 40 of address. */
const WALLET_KEY_LENGTH = 110;
/** ASCII of `0` and `x`. */
const ZERO = 0x30;
const LOWER_X = 0x78;
const NO_PREFIX = "A private key has no 0x prefix: leave it out.";

/**
 * Parses a private key of 64 hex digits without prefix, or a wallet key (`<key>0x00<address with 0x>`).
 * @param key - as bytes if no copy may stay in memory
 * @param network - its name appears in error texts
 * @throws WalletError `KEY_TEXT` with the reference node's texts
 */
export function parseRawKey(key: Secret, network: "Klaytn" | "Kaia" = "Kaia"): RawKey {
  const text = secretBytes(key);
  try {
    if (text.length !== WALLET_KEY_LENGTH) return { privateKey: parsePrivateKey(text) };
    if (text[66] !== ZERO || text[67] !== ZERO)
      throw new WalletError("KEY_TEXT", `${network} wallet key type must be 00.`);
    return { privateKey: parsePrivateKey(text.subarray(0, 64)), address: parseAddress(text.subarray(70)) };
  } finally {
    text.fill(0);
  }
}

/**
 * Checks the bytes of a private key.
 * @returns the same bytes
 * @throws WalletError `KEY_TEXT` with the reference node's texts
 */
export function checkPrivateKey(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 32) throw new WalletError("KEY_TEXT", "invalid length, need 256 bits");
  if (compareBytes(bytes, ORDER) >= 0) throw new WalletError("KEY_TEXT", "invalid private key, >=N");
  if (isZeroBytes(bytes)) throw new WalletError("KEY_TEXT", "invalid private key, zero or negative");
  return bytes;
}

function parsePrivateKey(digits: Uint8Array): Uint8Array {
  const key = new Uint8Array(new ArrayBuffer(digits.length >> 1));
  let isHex = digits.length % 2 === 0;
  for (let i = 0; isHex && i < key.length; i++) {
    const [high, low] = [hexDigit(digits[2 * i]), hexDigit(digits[2 * i + 1])];
    isHex = high !== undefined && low !== undefined;
    key[i] = 16 * (high ?? 0) + (low ?? 0);
  }
  if (!isHex) {
    key.fill(0);
    const hint = digits[0] === ZERO && digits[1] === LOWER_X ? { hint: NO_PREFIX } : {};
    throw new WalletError("KEY_TEXT", "invalid hex string", hint);
  }
  return checkPrivateKey(key);
}

/** What follows the first invalid digit is ignored and the rest left-padded, as in the reference node. */
function parseAddress(digits: Uint8Array): Address {
  const address = new Uint8Array(20);
  const bytes = Buffer.from(Buffer.from(digits).toString("latin1"), "hex");
  address.set(bytes, 20 - bytes.length);
  return address;
}
