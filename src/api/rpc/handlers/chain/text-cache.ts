import { JsonText } from "../../spec/values/json-text.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Overhead of an entry besides its key and text. */
const ENTRY_OVERHEAD = 128;

/**
 * An LRU cache of JSON texts of immutable objects, such as sealed blocks, bounded in bytes. A block with 100
 * transactions is rendered once and then copied.
 */
export class TextCache {
  readonly #texts = new Map<string, JsonText>();
  readonly #capacity: number;
  #size = 0;

  /**
   * @param capacity of keys and texts in UTF-16 units; for ASCII texts, such as blocks, one unit is one byte of V8's heap
   */
  constructor(capacity = 8 * 1024 * 1024) {
    this.#capacity = capacity;
  }

  /** The text kept under `key`. */
  get(key: string): JsonText | undefined {
    const known = this.#texts.get(key);
    if (known === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, known);
    return known;
  }

  /** Stores a text under `key`, replacing any other. @returns the text */
  keep(key: string, text: JsonText): JsonText {
    const kept = inOnePiece(text);
    const known = this.#texts.get(key);
    if (known !== undefined) this.#forget(key, known);
    this.#size += sizeOf(key, kept);
    this.#texts.set(key, kept);
    this.#shrink();
    return kept;
  }

  #shrink(): void {
    for (const [key, text] of this.#texts) {
      if (this.#size <= this.#capacity) return;
      this.#forget(key, text);
    }
  }

  #forget(key: string, text: JsonText): void {
    this.#texts.delete(key);
    this.#size -= sizeOf(key, text);
  }
}

function sizeOf(key: string, { text }: JsonText): number {
  return key.length + text.length + ENTRY_OVERHEAD;
}

/** V8 keeps a string that was joined from parts as a tree of them, which takes up to five times its length. */
function inOnePiece(json: JsonText): JsonText {
  const { text } = json;
  return typeof text === "string" ? new JsonText(decoder.decode(encoder.encode(text))) : json;
}
