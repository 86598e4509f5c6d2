import { expect, it } from "vitest";
import { createSeededRandomness } from "../../../platform/runtime/simulated.ts";
import { generateMaterial } from "./handshake.ts";

/** @see EIP-8: at least 100 bytes, so that its packets differ from those of before */
it("pads its packets with 100 to 199 bytes", () => {
  const randomness = createSeededRandomness(1);
  const sizes = Array.from({ length: 256 }, (_, first) => {
    const bytes = (length: number) => (length === 1 ? Uint8Array.of(first) : randomness.bytes(length));
    return generateMaterial({ ...randomness, bytes }).padding;
  });
  expect([Math.min(...sizes), Math.max(...sizes), new Set(sizes).size]).toEqual([100, 199, 100]);
});
