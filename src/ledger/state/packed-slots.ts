import { type Hash, trimLeadingZeros } from "../../protocol/primitives/bytes.ts";
import type { SlotChange, SlotChanges } from "./state.ts";

const WORD = 32;
/** Bytes of a slot: its key and its value. */
const PAIR = 2 * WORD;
/** Slots per chunk of memory; the first chunk starts smaller. */
const CHUNK_SLOTS = 1024;
const FIRST_SLOTS = 4;

/**
 * Many changed slots in large arrays. As objects they would take half a kilobyte each, all of which V8's garbage
 * collector would have to trace again and again.
 */
export class PackedSlots implements SlotChanges {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** A packed copy of `changes`. */
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
    const at = (this.#length++ % CHUNK_SLOTS) * PAIR;
    const chunk = this.#chunkFor(at);
    chunk.set(slot, at);
    chunk.set(value, at + PAIR - value.length);
  }

  /** The chunk with space for a slot at byte `at`: the newest one, grown if need be, or a new one. */
  #chunkFor(at: number): Uint8Array {
    const last = this.#chunks.at(-1);
    if (last && at > 0 && at < last.length) return last;
    const first = Math.max(FIRST_SLOTS * PAIR, 2 * at);
    const chunk = new Uint8Array(this.#length > CHUNK_SLOTS ? CHUNK_SLOTS * PAIR : first);
    if (at > 0) chunk.set(this.#chunks.pop() as Uint8Array);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Slots in insertion order; keys and values are views. */
  *[Symbol.iterator](): Generator<SlotChange> {
    yield* this.#from(0, this.#length);
  }

  /** The slots in parts of up to 1,024. */
  *parts(): Generator<Iterable<SlotChange>> {
    for (let from = 0; from < this.#length; from += CHUNK_SLOTS)
      yield { [Symbol.iterator]: () => this.#from(from, Math.min(from + CHUNK_SLOTS, this.#length)) };
  }

  *#from(from: number, to: number): Generator<SlotChange> {
    for (let i = from; i < to; i++) {
      const chunk = this.#chunks[Math.floor(i / CHUNK_SLOTS)] as Uint8Array;
      const at = (i % CHUNK_SLOTS) * PAIR;
      const value = chunk.subarray(at + WORD, at + PAIR);
      yield { slot: chunk.subarray(at, at + WORD), value: trimLeadingZeros(value) };
    }
  }
}
