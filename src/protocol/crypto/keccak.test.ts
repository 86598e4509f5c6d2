import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../primitives/hex.ts";
import { hashScratch, Keccak256, keccak256, keccak256Of, keccakScratch } from "./keccak.ts";

const message = fc.uint8Array({ maxLength: 600, size: "max" });
const patterned = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff);

describe("keccak256", () => {
  it("returns the published hash of the empty string", () => {
    expect(bytesToHex(keccak256(new Uint8Array(0)))).toBe(
      "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    );
  });

  it("agrees with an independent implementation", () => {
    fc.assert(
      fc.property(message, (data) => {
        expect(keccak256(data)).toEqual(keccak_256(data));
      }),
    );
  });

  it.each([135, 136, 137, 271, 272, 273, 130_000, 130_047, 130_048, 130_559, 130_560, 300_001])(
    "agrees around block and buffer borders (%i bytes)",
    (length) => {
      const data = patterned(length);
      expect(keccak256(data)).toEqual(keccak_256(data));
      expect(keccak256Of(data.subarray(0, 100), data.subarray(100))).toEqual(keccak_256(data));
    },
  );

  it("hashes what was written into the scratch buffer, whatever it contained before", () => {
    keccak256(new Uint8Array(400).fill(0xff));
    const data = patterned(200);
    keccakScratch.set(data);
    expect(hashScratch(200)).toEqual(keccak_256(data));
  });

  it("returns bytes that a later hash does not overwrite", () => {
    const first = keccak256(patterned(1));
    const copy = first.slice();
    keccak256(patterned(2));
    expect(first).toEqual(copy);
  });
});

describe("Keccak256", () => {
  it("hashes incrementally, with intermediate digests and interleaved with other hashes", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), (pieces) => {
        const hash = new Keccak256();
        let whole: number[] = [];
        for (const piece of pieces) {
          hash.update(piece);
          whole = [...whole, ...piece];
          keccak256(piece);
          expect(hash.digest()).toEqual(keccak_256(Uint8Array.from(whole)));
        }
      }),
    );
  });
});
