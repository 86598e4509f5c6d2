import { bn254 } from "@noble/curves/bn254.js";
import { describe, expect, it } from "vitest";
import { concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { word } from "../testing/run-code.ts";
import { run } from "./testing/call.ts";

describe("BN254", () => {
  const { G1, G2 } = bn254;
  const g1 = (k: bigint) => {
    const { x, y } = G1.Point.BASE.multiply(k).toAffine();
    return concat(word(x), word(y));
  };
  const g2 = (k: bigint) => {
    const { x, y } = G2.Point.BASE.multiply(k).toAffine();
    return concat(...[x.c1, x.c0, y.c1, y.c0].map(word));
  };
  const order = G1.Point.Fn.ORDER;

  it("adds and multiplies, padding input with zeros and reducing scalars", () => {
    expect(run(6, concat(g1(2n), g1(3n)))).toEqual(g1(5n));
    expect(run(6, g1(2n))).toEqual(g1(2n));
    expect(run(6, concat(g1(2n), g1(order - 2n)))).toEqual(new Uint8Array(64));
    expect(run(7, concat(g1(2n), word(order + 3n)))).toEqual(g1(6n));
    expect(run(7, EMPTY_BYTES)).toEqual(new Uint8Array(64));
  });

  it("checks pairings", () => {
    const input = concat(g1(6n), g2(5n), g1(order - 15n), g2(2n));
    expect(run(8, input)).toEqual(word(1n));
    expect(run(8, input.subarray(0, 192))).toEqual(word(0n));
    expect(run(8, EMPTY_BYTES)).toEqual(word(1n));
    expect(run(8, new Uint8Array(192))).toEqual(word(1n));
  });

  it("fails for points off the curve, coordinates beyond the field and truncated input", () => {
    const p = G1.Point.Fp.ORDER;
    expect(run(6, concat(word(1n), word(1n)))).toBeUndefined();
    expect(run(6, concat(word(p + 1n), word(2n)))).toBeUndefined();
    expect(run(8, new Uint8Array(191))).toBeUndefined();
    expect(run(8, concat(g1(1n), new Uint8Array(127), Uint8Array.of(1)))).toBeUndefined();
  });
});
