import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { JsonText } from "../../spec/values/json-text.ts";
import { TextCache } from "./text-cache.ts";

/** Longest text that is kept, and longest key, in UTF-16 units: few ask for such. */
const LONGEST = 64 * 1024;
const LONGEST_KEY = 1024;

/**
 * Texts of answers that depend on nothing but the canonical chain up to its head, kept until the head is another one. Each
 * change of the head, also back to a block that was the head before, makes a new object, which is what is compared: state
 * that is edited by hand moves no head, so that nothing about state may be kept here.
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
   * The text kept under `key`, or a new one.
   * @param make - a promise of what it makes is passed on and nothing kept: the head may move meanwhile
   */
  kept(key: string, make: () => JsonText | Promise<JsonText>): JsonText | Promise<JsonText> {
    const texts = this.#current();
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make();
    if (text instanceof Promise || this.#current() !== texts) return text;
    return key.length > LONGEST_KEY || text.text.length > LONGEST ? text : texts.keep(key, text);
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
