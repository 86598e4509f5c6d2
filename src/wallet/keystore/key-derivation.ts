import { pbkdf2, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { WalletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import { type DerivationLimits, DerivationTurns } from "./derivation-turns.ts";
import { memoryOfScrypt } from "./scrypt-memory.ts";

/** Key derivation function (KDF) and its parameters. */
export type KeyDerivation =
  | {
      readonly kdf: "scrypt";
      readonly n: number;
      readonly r: number;
      readonly p: number;
      readonly dklen: number;
      readonly salt: Uint8Array;
    }
  | { readonly kdf: "pbkdf2"; readonly c: number; readonly dklen: number; readonly salt: Uint8Array };

/** Turns passphrases into keys on the thread pool, a few at a time. */
export interface KeyDeriver {
  /**
   * @throws WalletError `KDF_LIMIT` when the parameters are too expensive, `KDF_BUSY` when too many wait, `CALLER_GONE`
   * when the caller has left
   */
  derive(passphrase: Passphrase, how: KeyDerivation): Promise<Uint8Array>;
}

// Bounds for untrusted key files.

/** One GiB for `n`, plus slack for `p` and the library. */
const MAX_SCRYPT_BYTES = 2 ** 30 + 2 ** 21;
const MAX_SCRYPT_WORK = 2 ** 26;
/** Parameters that OpenSSL rejects run on the main thread, in small steps. */
const MAX_PORTABLE_WORK = 2 ** 22;
const MAX_PBKDF2_ROUNDS = 2 ** 24;
const MAX_SALT_BYTES = 1024;
const KEY_BYTES = { min: 32, max: 1024 };

const scryptAsync = promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/** Runs one derivation. @param signal - aborted once nobody waits for the key */
export type Derivation = (
  secret: Uint8Array,
  how: KeyDerivation,
  signal?: AbortSignal | undefined,
) => Promise<Uint8Array>;

/**
 * Creates a deriver.
 * @param run - in this process by default
 */
export function createKeyDeriver(
  run: Derivation = deriveInProcess,
  limits: Partial<DerivationLimits> = {},
): KeyDeriver {
  const turns = new DerivationTurns(limits);
  return {
    async derive(passphrase, how) {
      checkCost(how);
      return turns.run(passphrase, () => run(passphrase.bytes, how, passphrase.caller.signal));
    },
  };
}

/** Derives a key on the thread pool of this process; cannot be aborted. */
export function deriveInProcess(secret: Uint8Array, how: KeyDerivation): Promise<Uint8Array> {
  if (how.kdf === "pbkdf2") return pbkdf2Async(secret, how.salt, how.c, how.dklen, "sha256");
  const { n, r, p } = how;
  const maxmem = memoryOfScrypt(how);
  if (isPortable(how)) return runPortably(secret, how, maxmem);
  return scryptAsync(secret, how.salt, how.dklen, { N: n, r, p, maxmem });
}

/** OpenSSL rejects a large `n` with a small `r`, which some old files have; this takes seconds, in small steps. */
async function runPortably(
  secret: Uint8Array,
  { salt, n, r, p, dklen }: KeyDerivation & { kdf: "scrypt" },
  maxmem: number,
): Promise<Uint8Array> {
  const portable = await import("@noble/hashes/scrypt.js");
  return portable.scryptAsync(secret, salt, { N: n, r, p, dkLen: dklen, maxmem });
}

function isPortable({ n, r }: { readonly n: number; readonly r: number }): boolean {
  return Math.log2(n) >= 16 * r;
}

function checkCost(how: KeyDerivation): void {
  const { salt, ...parameters } = how;
  const { dklen } = how;
  const isAffordable = how.kdf === "pbkdf2" ? isWithin(how.c, 1, MAX_PBKDF2_ROUNDS) : isAffordableScrypt(how);
  if (isAffordable && isWithin(dklen, KEY_BYTES.min, KEY_BYTES.max) && salt.length <= MAX_SALT_BYTES) return;
  throw new WalletError("KDF_LIMIT", "key derivation parameters out of range", parameters);
}

/** Both the scratch memory (128·n·r) and the blocks (128·r·p) have to fit. @see RFC 7914 */
function isAffordableScrypt(how: { readonly n: number; readonly r: number; readonly p: number }): boolean {
  const { n, r, p } = how;
  if (![n, r, p].every((value) => isWithin(value, 1, 2 ** 30)) || !isPowerOfTwo(n)) return false;
  if (memoryOfScrypt(how) > MAX_SCRYPT_BYTES) return false;
  return n * r * p <= (isPortable(how) ? MAX_PORTABLE_WORK : MAX_SCRYPT_WORK);
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function isPowerOfTwo(n: number): boolean {
  return n >= 2 && Number.isInteger(Math.log2(n));
}
