import type { BlsKeys } from "../../../ledger/extensions/randao/bls-keys.ts";
import { revealMessage } from "../../../ledger/extensions/randao/random-reveal.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import type { Bls, SignedMessage } from "../../../protocol/crypto/bls.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

const REVEAL_BYTES = 96;

/** Dependencies of the checks. */
interface RevealParts {
  readonly bls: Pick<Bls, "verify" | "verifyAll">;
  readonly keys: Pick<BlsKeys, "publicKey">;
}

/**
 * Checks random reveals, in batches ahead of execution. A proposer's key is only known once the preceding block has been executed, so a
 * result found ahead records its key, and is valid for that key only.
 */
export class RevealChecks {
  readonly #parts: RevealParts;
  /** Headers with a valid reveal, and the key it was checked against. */
  readonly #right = new WeakMap<Header, Uint8Array>();

  constructor(parts: RevealParts) {
    this.#parts = parts;
  }

  /**
   * Checks the reveals of headers against the keys that their proposers have at the block of the first one. If one is invalid, all are left
   * to be checked individually.
   * @param headers - the first follows the newest executed block
   */
  checkAhead(headers: readonly Header[]): void {
    const { bls } = this.#parts;
    const [first] = headers;
    if (bls.verifyAll === undefined || first === undefined || headers.length < 2) return;
    const signed = headers.map((header) => this.#signed(header, first.number));
    const known = signed.filter((one) => one !== undefined);
    if (known.length < 2 || !bls.verifyAll(known)) return;
    for (const [i, header] of headers.entries()) {
      const key = signed[i]?.publicKey;
      if (key !== undefined) this.#right.set(header, key);
    }
  }

  /** Whether the reveal of a header is a valid signature of its number. */
  isValid(header: Header, publicKey: Uint8Array): boolean {
    const { randomReveal, number } = header;
    const known = this.#right.get(header);
    if (known !== undefined && equalBytes(known, publicKey)) return true;
    return (
      randomReveal !== undefined && this.#parts.bls.verify(randomReveal, revealMessage(number), publicKey)
    );
  }

  #signed(header: Header, keysAt: bigint): SignedMessage | undefined {
    const { randomReveal, number } = header;
    if (randomReveal?.length !== REVEAL_BYTES) return undefined;
    try {
      const publicKey = this.#parts.keys.publicKey(authorOf(header), keysAt);
      return { signature: randomReveal, message: revealMessage(number), publicKey };
    } catch (error) {
      if (error instanceof NodeError) return undefined;
      throw error;
    }
  }
}
