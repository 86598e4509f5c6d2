import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { JsonText } from "../../spec/values/json-text.ts";
import { TextCache } from "./text-cache.ts";

/** Maximum length of cached texts and keys, in UTF-16 units; longer ones are rarely requested again. */
const MAX_LENGTH = 64 * 1024;
const MAX_KEY = 1024;

/**
 * Response texts that depend only on the canonical chain up to its head, cached until the head changes. Every change of the head,
 * even back to an earlier block, creates a new object, and these are what is compared. Editing state by hand does not move the
 * head, so nothing about state may be cached here.
 */
export class HeadTexts {
  readonly #chain: Pick<Chain, "head">;
  readonly #capacity: number;
  #head: Chain["head"] | undefined;
  #texts: TextCache | undefined;

  /** @param capacity of all keys and texts, in UTF-16 units */
  constructor(chain: Pick<Chain, "head">, capacity = 1024 * 1024) {
    this.#chain = chain;
    this.#capacity = capacity;
  }

  /**
   * The text cached under `key`, or a new one.
   * @param make - a promise it returns is passed on and not cached: the head may move meanwhile
   */
  kept(key: string, make: () => JsonText | Promise<JsonText>): JsonText | Promise<JsonText> {
    const texts = this.#current();
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make();
    if (text instanceof Promise || this.#current() !== texts) return text;
    return key.length > MAX_KEY || text.text.length > MAX_LENGTH ? text : texts.keep(key, text);
  }

  #current(): TextCache {
    const { head } = this.#chain;
    if (this.#texts === undefined || head !== this.#head) {
      this.#head = head;
      this.#texts = new TextCache(this.#capacity);
    }
    return this.#texts;
  }
}
