import { expect, it } from "vitest";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { PackedSlots } from "./packed-slots.ts";
import type { SlotChange } from "./state.ts";

/** A slot's number or a value with leading zeros. */
const word = (n: number): Uint8Array => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, n);
  return bytes;
};
/** Values of all lengths, none with leading zeros. */
const changes = (count: number): SlotChange[] =>
  Array.from({ length: count }, (_, i) => ({
    slot: word(i),
    value: new Uint8Array(i % 33).fill(1 + (i % 255)),
  }));
const texts = (slots: Iterable<SlotChange>): string[] =>
  Array.from(slots, ({ slot, value }) => `${bytesToHex(slot)} ${bytesToHex(value)}`);

it.each([0, 1, 3, 4, 5, 8, 9, 1023, 1024, 1025, 1030, 3000])(
  "yields %i slots in order, as a whole and in parts",
  (count) => {
    const packed = PackedSlots.from(changes(count));
    const wanted = texts(changes(count));
    expect(packed.length).toBe(count);
    expect(texts(packed)).toEqual(wanted);
    expect([...packed.parts()].flatMap(texts)).toEqual(wanted);
    expect(texts(packed)).toEqual(wanted);
  },
);

it("trims leading zeros, down to an empty value", () => {
  const packed = new PackedSlots();
  packed.add(word(1), word(7));
  packed.add(word(2), word(0));
  expect([...packed]).toEqual([
    { slot: word(1), value: Uint8Array.of(7) },
    { slot: word(2), value: new Uint8Array(0) },
  ]);
});
