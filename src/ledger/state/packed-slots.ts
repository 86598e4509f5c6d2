import { type Hash, trimLeadingZeros } from "../../protocol/primitives/bytes.ts";
import type { SlotChange, SlotChanges } from "./state.ts";

const WORD = 32;
/** Bytes of a slot: its number and its value. */
const PAIR = 2 * WORD;
/** Slots in one piece of memory; the first one begins with a few. */
const PIECE_SLOTS = 1024;
const FIRST_SLOTS = 4;

/**
 * Many changed slots in large arrays. As objects they would take half a kilobyte each, of which V8 has to look at
 * everything again whenever it collects.
 */
export class PackedSlots implements SlotChanges {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** Copies of what `changes` has. */
  static from(changes: Iterable<SlotChange>): PackedSlots {
    const packed = new PackedSlots();
    for (const { slot, value } of changes) packed.add(slot, value);
    return packed;
  }

  get length(): number {
    return this.#length;
  }

  /** Copies a slot. @param value - at most 32 bytes, with leading zeros or without */
  add(slot: Hash, value: Uint8Array): void {
    const at = (this.#length++ % PIECE_SLOTS) * PAIR;
    const piece = this.#roomAt(at);
    piece.set(slot, at);
    piece.set(value, at + PAIR - value.length);
  }

  /** The newest piece, with room for a slot at a place, or a new one. */
  #roomAt(at: number): Uint8Array {
    const last = this.#pieces.at(-1);
    if (last && at > 0 && at < last.length) return last;
    const first = Math.max(FIRST_SLOTS * PAIR, 2 * at);
    const piece = new Uint8Array(this.#length > PIECE_SLOTS ? PIECE_SLOTS * PAIR : first);
    if (at > 0) piece.set(this.#pieces.pop() as Uint8Array);
    this.#pieces.push(piece);
    return piece;
  }

  /** Slots in the order in which they were added; numbers and values are views. */
  *[Symbol.iterator](): Generator<SlotChange> {
    yield* this.#from(0, this.#length);
  }

  /** The same in parts of up to 1,024. */
  *parts(): Generator<Iterable<SlotChange>> {
    for (let from = 0; from < this.#length; from += PIECE_SLOTS)
      yield { [Symbol.iterator]: () => this.#from(from, Math.min(from + PIECE_SLOTS, this.#length)) };
  }

  *#from(from: number, to: number): Generator<SlotChange> {
    for (let i = from; i < to; i++) {
      const piece = this.#pieces[Math.floor(i / PIECE_SLOTS)] as Uint8Array;
      const at = (i % PIECE_SLOTS) * PAIR;
      const value = piece.subarray(at + WORD, at + PAIR);
      yield { slot: piece.subarray(at, at + WORD), value: trimLeadingZeros(value) };
    }
  }
}
