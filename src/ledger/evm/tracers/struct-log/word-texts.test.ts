import { expect, it } from "vitest";
import { listSize, WordTexts } from "./word-texts.ts";

const shown = ({ bytes, valid }: WordTexts) => new TextDecoder().decode(bytes.subarray(0, listSize(valid)));
const zeros = (count: number) => Array(count).fill(`"${"0".repeat(64)}"`);

it("shows any number of words, however many are added at once", () => {
  const texts = new WordTexts();
  const memory = Uint8Array.from({ length: 32 * 1000 }, (_, i) => i % 251);
  const words = Array.from(
    { length: 1000 },
    (_, i) => `"${Buffer.from(memory.subarray(32 * i, 32 * i + 32)).toString("hex")}"`,
  );
  texts.readMemory(memory, 0, 3);
  expect(shown(texts)).toBe(words.slice(0, 3).join());
  texts.extend(200);
  expect(shown(texts)).toBe([...words.slice(0, 3), ...zeros(197)].join());
  texts.truncate(2);
  texts.readMemory(memory, 0, 1000);
  expect(shown(texts)).toBe(words.join());
  texts.truncate(0);
  expect(shown(texts)).toBe("");
});

it("rereads a word that is shown, and no other", () => {
  const texts = new WordTexts();
  texts.extend(2);
  const memory = new Uint8Array(96).fill(0xab);
  texts.rereadMemory(memory, 0, 1);
  texts.rereadMemory(memory, 0, 2);
  expect(shown(texts)).toBe([...zeros(1), `"${"ab".repeat(32)}"`].join());
});
