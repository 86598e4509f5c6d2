import { timingSafeEqual } from "node:crypto";
import { copyOfSecret, takeSecret } from "./secret-bytes.ts";

/** The caller who gave a passphrase and waits for the result. */
export interface PassphraseCaller {
  /** Whether it is this process or uses its IPC socket, rather than the network. */
  readonly isLocal: boolean;
  /** Aborted once the caller has left. */
  readonly signal?: AbortSignal;
  /** Identity shared by all calls of a client, for fair scheduling. */
  readonly client?: unknown;
}

/** This process, which never disconnects. */
const OWNER: PassphraseCaller = { isLocal: true };

/**
 * A passphrase in memory that can be overwritten, with its caller: keys are derived only from these, so that every
 * derivation has a known caller.
 */
export class Passphrase {
  readonly caller: PassphraseCaller;
  readonly #bytes: Uint8Array;
  #isWiped = false;

  /** @param secret - a string, which stays in memory until V8 collects it, or bytes, which are wiped */
  constructor(secret: string | Uint8Array, caller: PassphraseCaller = OWNER) {
    this.caller = caller;
    this.#bytes = takeSecret(typeof secret === "string" ? Buffer.from(secret, "utf8") : secret);
  }

  /** UTF-8, not a copy. @throws Error after `wipe` */
  get bytes(): Uint8Array {
    if (this.#isWiped) throw new Error("the passphrase was wiped");
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  /** Constant-time comparison, except for the length. */
  equals({ bytes }: Passphrase): boolean {
    return bytes.length === this.bytes.length && timingSafeEqual(bytes, this.bytes);
  }

  /** A copy of the passphrase, independent of this one. */
  copy(): Passphrase {
    return new Passphrase(copyOfSecret(this.bytes), this.caller);
  }

  /** Overwrites the bytes with zeros. */
  wipe(): void {
    this.#bytes.fill(0);
    this.#isWiped = true;
  }
}
