import { expect, it } from "vitest";
import { SeenWords } from "./seen-words.ts";

it("remembers a word for its owner, and confuses it with no other", () => {
  const seen = new SeenWords();
  const [alice, bob] = [{}, {}];
  const zero = new Uint32Array(16);
  expect(seen.has(zero, 0, undefined)).toBe(false);
  expect(seen.has(zero, 8, undefined)).toBe(true);
  for (let limb = 0; limb < 8; limb++) {
    const words = new Uint32Array(16);
    words[8 + limb] = 5;
    for (const owner of [alice, bob, undefined]) {
      expect(seen.has(words, 8, owner)).toBe(false);
      expect(seen.has(words, 8, owner)).toBe(true);
    }
  }
});

it("never reports a new word as seen, however many are evicted", () => {
  const seen = new SeenWords();
  const owner = {};
  const word = new Uint32Array(8);
  for (let number = 1; number < 10_000; number++) {
    word[number % 8] = number;
    expect(seen.has(word, 0, owner)).toBe(false);
  }
});
