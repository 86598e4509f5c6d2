import { pbkdf2, scrypt } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { WalletError } from "../errors.ts";

/** How a passphrase becomes a key. */
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
  /** @throws WalletError `KDF_LIMIT` when the parameters ask for too much, `KDF_BUSY` when too many wait */
  derive(passphrase: string, how: KeyDerivation): Promise<Uint8Array>;
}

/**
 * A derivation at standard cost takes 256 MiB and about a second of one core. Two at once are enough, and one core is left to
 * whoever calls meanwhile.
 */
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const MAX_WAITING = 256;
/** Bound for files from outside. */
const MAX_SCRYPT_BYTES = 2 ** 30;
const MAX_SCRYPT_WORK = 2 ** 26;
const MAX_PBKDF2_ROUNDS = 2 ** 26;

/** Above the memory of the algorithm itself, for what the library adds. */
const SLACK_BYTES = 2 ** 20;

const scryptAsync = promisify<Buffer, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/** One derivation; `secret` is wiped once it is done. */
type Derivation = (secret: Buffer, how: KeyDerivation) => Promise<Uint8Array>;

/**
 * Makes a deriver that lets up to 256 derivations wait.
 * @param run - the real one by default
 * @param atOnce - derivations that run at the same time
 */
export function createKeyDeriver(run: Derivation = runNatively, atOnce = AT_ONCE): KeyDeriver {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = (): Promise<void> | undefined => {
    if (running++ < atOnce) return undefined;
    if (waiting.length < MAX_WAITING) return new Promise((resolve) => waiting.push(resolve));
    running--;
    throw new WalletError("KDF_BUSY", "busy: too many passphrases are being checked");
  };
  return {
    async derive(passphrase, how) {
      checkCost(how);
      await enter();
      const secret = Buffer.from(passphrase, "utf8");
      try {
        return await run(secret, how);
      } finally {
        secret.fill(0);
        running--;
        waiting.shift()?.();
      }
    },
  };
}

function runNatively(secret: Buffer, how: KeyDerivation): Promise<Uint8Array> {
  if (how.kdf === "pbkdf2") return pbkdf2Async(secret, how.salt, how.c, how.dklen, "sha256");
  const { n, r, p } = how;
  const maxmem = 128 * r * (n + p) + SLACK_BYTES;
  if (Math.log2(n) >= 16 * r) return runPortably(secret, how, maxmem);
  return scryptAsync(secret, how.salt, how.dklen, { N: n, r, p, maxmem });
}

/** OpenSSL refuses a large `n` with a small `r`, which some old files have; takes some seconds, in small steps. */
async function runPortably(
  secret: Buffer,
  { salt, n, r, p, dklen }: KeyDerivation & { kdf: "scrypt" },
  maxmem: number,
): Promise<Uint8Array> {
  const portable = await import("@noble/hashes/scrypt.js");
  return portable.scryptAsync(secret, salt, { N: n, r, p, dkLen: dklen, maxmem });
}

function checkCost(how: KeyDerivation): void {
  const affordable =
    how.kdf === "pbkdf2"
      ? how.c >= 1 && how.c <= MAX_PBKDF2_ROUNDS
      : isPowerOfTwo(how.n) &&
        128 * how.n * how.r <= MAX_SCRYPT_BYTES &&
        how.n * how.r * how.p <= MAX_SCRYPT_WORK;
  if (affordable && how.dklen >= 32 && how.dklen <= 1024) return;
  const { salt: _, ...parameters } = how;
  throw new WalletError("KDF_LIMIT", "key derivation parameters out of range", parameters);
}

function isPowerOfTwo(n: number): boolean {
  return n >= 2 && Number.isInteger(Math.log2(n));
}
