import { timingSafeEqual } from "node:crypto";
import { copyOfSecret, takeSecret } from "./secret-bytes.ts";

/** The caller who gave a passphrase and waits for the result. */
export interface Asker {
  /** Whether it is this process or uses its IPC socket, rather than a port. */
  readonly isLocal: boolean;
  /** Aborted once nobody waits any more. */
  readonly signal?: AbortSignal;
  /** Identity shared by all calls of a client, for taking turns. */
  readonly client?: unknown;
}

/** The program itself, which never disconnects. */
const OWNER: Asker = { isLocal: true };

/**
 * A passphrase in bytes that can be overwritten, with its caller: keys are derived only from these, so that every
 * derivation has a known caller.
 */
export class Passphrase {
  readonly asker: Asker;
  readonly #bytes: Uint8Array;
  #isWiped = false;

  /** @param secret - as it was typed, which V8 keeps until it collects garbage, or bytes, which are wiped */
  constructor(secret: string | Uint8Array, asker: Asker = OWNER) {
    this.asker = asker;
    this.#bytes = takeSecret(typeof secret === "string" ? Buffer.from(secret, "utf8") : secret);
  }

  /** UTF-8, ours; of a wiped one nothing may be derived. */
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
    return new Passphrase(copyOfSecret(this.bytes), this.asker);
  }

  /** Overwrites the bytes with zeros. */
  wipe(): void {
    this.#bytes.fill(0);
    this.#isWiped = true;
  }
}
