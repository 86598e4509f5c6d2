import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";
import type { Randomness } from "../../platform/runtime/runtime.ts";
import { keccak256, keccak256Of } from "../../protocol/crypto/keccak.ts";
import { walletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import { takeSecret } from "../secret-bytes.ts";
import type { KeyDerivation, KeyDeriver } from "./key-derivation.ts";

/** One encrypted private key, decoded from the `crypto` object of a key file. */
export interface SealedKey {
  readonly ciphertext: Uint8Array;
  readonly iv: Uint8Array;
  readonly mac: Uint8Array;
  readonly derivation: KeyDerivation;
}

/** scrypt parameters of new files. */
export interface ScryptCost {
  readonly n: number;
  readonly p: number;
}

/** About a second and 256 MiB. */
export const STANDARD_COST: ScryptCost = { n: 262_144, p: 1 };
/** About a tenth of a second and 4 MiB. */
export const LIGHT_COST: ScryptCost = { n: 4096, p: 6 };

/**
 * Encrypts a private key, which costs one derivation.
 * @returns the sealed key, and a function that decrypts it without another derivation; call `forget` after use
 */
export async function sealKey(
  privateKey: Uint8Array,
  passphrase: Passphrase,
  { cost, randomness, deriver }: { cost: ScryptCost; randomness: Randomness; deriver: KeyDeriver },
): Promise<{ sealed: SealedKey; reopen: (sealed: SealedKey) => Uint8Array; forget: () => void }> {
  const derivation: KeyDerivation = { kdf: "scrypt", ...cost, r: 8, dklen: 32, salt: randomness.bytes(32) };
  const derived = await deriver.derive(passphrase, derivation);
  const iv = randomness.bytes(16);
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = new Uint8Array(cipher.update(privateKey));
  const mac = keccak256Of(derived.subarray(16, 32), ciphertext);
  const sealed = { ciphertext, iv, mac, derivation };
  return { sealed, reopen: (other) => openWith(derived, other), forget: () => derived.fill(0) };
}

/**
 * Decrypts a private key.
 * @returns a copy, usually 32 bytes, that the caller wipes
 * @throws WalletError `WRONG_PASSPHRASE`, `KDF_LIMIT`, `KDF_BUSY`
 */
export function openKey(sealed: SealedKey, passphrase: Passphrase, deriver: KeyDeriver): Promise<Uint8Array> {
  return withDerived(sealed, { passphrase, deriver }, (derived) => openWith(derived, sealed));
}

/** As `openKey`, for files of version 1: AES-128-CBC with a hashed key. */
export function openKeyV1(
  sealed: SealedKey,
  passphrase: Passphrase,
  deriver: KeyDeriver,
): Promise<Uint8Array> {
  return withDerived(sealed, { passphrase, deriver }, (derived) => {
    checkMac(derived, sealed);
    const key = keccak256(derived.subarray(0, 16)).subarray(0, 16);
    const decipher = createDecipheriv("aes-128-cbc", key, sealed.iv);
    try {
      return takeSecret(decipher.update(sealed.ciphertext), decipher.final());
    } catch {
      throw walletError("WRONG_PASSPHRASE");
    }
  });
}

/** Passes `use` the key derived from a passphrase, and wipes it afterwards. */
async function withDerived(
  { derivation }: SealedKey,
  { passphrase, deriver }: { readonly passphrase: Passphrase; readonly deriver: KeyDeriver },
  use: (derived: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const derived = await deriver.derive(passphrase, derivation);
  try {
    return use(derived);
  } finally {
    derived.fill(0);
  }
}

function openWith(derived: Uint8Array, sealed: SealedKey): Uint8Array {
  checkMac(derived, sealed);
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), sealed.iv);
  return takeSecret(decipher.update(sealed.ciphertext));
}

function checkMac(derived: Uint8Array, { ciphertext, mac }: SealedKey): void {
  const expected = keccak256Of(derived.subarray(16, 32), ciphertext);
  if (mac.length !== 32 || !timingSafeEqual(mac, expected)) throw walletError("WRONG_PASSPHRASE");
}
