/**
 * An LRU cache of JSON texts of immutable objects, such as sealed blocks, bounded in bytes. A block with 100
 * transactions is rendered once and then copied.
 */
export class TextCache {
  readonly #texts = new Map<string, JsonText>();
  readonly #capacity: number;
  #size = 0;

  /** @param capacity in UTF-16 units */
  constructor(capacity = 16 * 1024 * 1024) {
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
    this.#size += text.text.length - (this.#texts.get(key)?.text.length ?? 0);
    this.#texts.delete(key);
    this.#texts.set(key, text);
    this.#shrink();
    return text;
  }

  #shrink(): void {
    for (const [key, { text }] of this.#texts) {
      if (this.#size <= this.#capacity) return;
      this.#texts.delete(key);
      this.#size -= text.length;
    }
  }
}

import type { JsonText } from "../../spec/values/json-text.ts";
