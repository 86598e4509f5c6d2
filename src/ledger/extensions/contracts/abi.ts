import { selectorOf } from "../../../protocol/crypto/selector.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  leftPad,
} from "../../../protocol/primitives/bytes.ts";
import { ExtensionError } from "../errors.ts";

const WORD = 32;

/**
 * Input of a contract call: the selector of `signature` and encoded arguments.
 * @param signature - such as `balanceOf(address)`
 * @param words - 32 bytes each, dynamic arguments already laid out
 */
export function callInput(signature: string, ...words: readonly Uint8Array[]): Uint8Array {
  return concat(selectorOf(signature), ...words);
}

/** An unsigned integer as an argument. */
export function uintWord(value: bigint): Uint8Array {
  return bigintToFixedBytes(value, WORD);
}

/** An address as an argument. */
export function addressWord(address: Address): Uint8Array {
  return leftPad(address, WORD);
}

/** A single string argument: offset, length, text padded on the right. */
export function stringWords(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
  padded.set(bytes);
  return concat(uintWord(BigInt(WORD)), uintWord(BigInt(bytes.length)), padded);
}

/**
 * Reads the output of a contract call, or a part of it: 32-byte slots, with offsets of dynamic values.
 * Every method throws ExtensionError `CONTRACT_OUTPUT` if the output is malformed: the contract may be anyone's.
 * @see Solidity's contract ABI specification
 */
export class AbiOutput {
  readonly #bytes: Uint8Array;
  /** Offsets within this part are relative to this one. */
  readonly #base: number;

  constructor(bytes: Uint8Array, base = 0) {
    this.#bytes = bytes;
    this.#base = base;
  }

  uint(slot: number): bigint {
    return bytesToBigint(this.#word(slot));
  }

  address(slot: number): Address {
    return this.#word(slot).slice(WORD - 20);
  }

  /** A dynamic tuple. */
  tuple(slot: number): AbiOutput {
    return new AbiOutput(this.#bytes, this.#base + this.#length(slot));
  }

  bytes(slot: number): Uint8Array {
    const content = this.tuple(slot);
    const start = content.#base + WORD;
    return this.#slice(start, content.#length(0));
  }

  /** The elements of a dynamic array; `element` reads by slot, relative to the first element. */
  array<T>(slot: number, element: (elements: AbiOutput, index: number) => T): T[] {
    const content = this.tuple(slot);
    const count = content.#length(0);
    const elements = new AbiOutput(this.#bytes, content.#base + WORD);
    if (count * WORD > this.#bytes.length) throw unreadable("array longer than the output");
    return Array.from({ length: count }, (_, index) => element(elements, index));
  }

  addresses(slot: number): Address[] {
    return this.array(slot, (elements, index) => elements.address(index));
  }

  uints(slot: number): bigint[] {
    return this.array(slot, (elements, index) => elements.uint(index));
  }

  #word(slot: number): Uint8Array {
    return this.#slice(this.#base + WORD * slot, WORD);
  }

  /** A word that must be an offset or a length within the output. */
  #length(slot: number): number {
    const value = this.uint(slot);
    if (value > BigInt(this.#bytes.length)) throw unreadable("offset beyond the output");
    return Number(value);
  }

  #slice(start: number, length: number): Uint8Array {
    if (start + length > this.#bytes.length) throw unreadable("output too short");
    return this.#bytes.subarray(start, start + length);
  }
}

/** Whether an error means that a contract returned malformed output. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ExtensionError && error.code === "CONTRACT_OUTPUT";
}

function unreadable(why: string): ExtensionError {
  return new ExtensionError("CONTRACT_OUTPUT", `a contract returned malformed output: ${why}`);
}
