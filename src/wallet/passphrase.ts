import { timingSafeEqual } from "node:crypto";
import { copyOfSecret, takeSecret } from "./secret-bytes.ts";

/** Who gave a passphrase, and waits for what comes of it. */
export interface Asker {
  /** Whether it is this process or has its IPC socket, and did not just find a port. */
  readonly isLocal: boolean;
  /** Aborted once nobody waits any more. */
  readonly signal?: AbortSignal;
  /** What all calls of a client share: they take turns with those of others. */
  readonly client?: unknown;
}

/** The program itself, which does not go away. */
const OWNER: Asker = { isLocal: true };

/**
 * A passphrase in bytes that can be overwritten, with the one who gave it: keys are derived from nothing else, so that no
 * derivation begins of which it is unknown who waits for it.
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

  /** Compares in a time that tells no more than the length. */
  equals({ bytes }: Passphrase): boolean {
    return bytes.length === this.bytes.length && timingSafeEqual(bytes, this.bytes);
  }

  /** The same passphrase, which outlives this one. */
  copy(): Passphrase {
    return new Passphrase(copyOfSecret(this.bytes), this.asker);
  }

  /** Overwrites the bytes with zeros. */
  wipe(): void {
    this.#bytes.fill(0);
    this.#isWiped = true;
  }
}
