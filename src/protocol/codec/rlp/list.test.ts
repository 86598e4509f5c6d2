import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeItem } from "./item.ts";
import { encodeList } from "./list.ts";

it.each([0, 1, 55, 56, 255, 256, 65_535, 65_536])(
  "equals the generic encoding with %i bytes of payload",
  (length) => {
    const elements = Array.from({ length }, (_, i) => Uint8Array.of(i % 0x80));
    expect(encodeList(elements)).toEqual(encodeItem(elements));
  },
);

it("contains its elements as encoded", () => {
  const bytes = fc.uint8Array({ maxLength: 60 });
  fc.assert(
    fc.property(fc.array(fc.oneof(bytes, fc.array(bytes, { maxLength: 3 })), { maxLength: 8 }), (items) => {
      expect(encodeList(items.map(encodeItem))).toEqual(encodeItem(items));
    }),
  );
});
