import { bls12_381 } from "@noble/curves/bls12-381.js";
import { describe, expect, it } from "vitest";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  EMPTY_BYTES,
} from "../../../../protocol/primitives/bytes.ts";
import { rulesAt, word } from "../../testing/run-code.ts";
import { at, run } from "../testing/call.ts";

describe("BLS12-381", () => {
  const { G1, G2, fields } = bls12_381;
  const field = (value: bigint) => bigintToFixedBytes(value, 64);
  const g1 = (k: bigint) => {
    const { x, y } = G1.Point.BASE.multiply(k).toAffine();
    return concat(field(x), field(y));
  };
  const g2 = (k: bigint) => {
    const { x, y } = G2.Point.BASE.multiply(k).toAffine();
    return concat(...[x.c0, x.c1, y.c0, y.c1].map(field));
  };
  const order = fields.Fr.ORDER;

  it("adds in both groups", () => {
    expect(run(0x0b, concat(g1(2n), g1(3n)))).toEqual(g1(5n));
    expect(run(0x0d, concat(g2(2n), g2(order - 2n)))).toEqual(new Uint8Array(256));
  });

  it("computes multi-scalar multiplications, with a discount for many terms", () => {
    const many = concat(g1(2n), word(5n), g1(3n), word(order + 7n), new Uint8Array(160));
    expect(run(0x0c, many)).toEqual(g1(31n));
    expect(at(0x0c, "prague")?.gas(many, rulesAt("prague"))).toBe((3n * 12_000n * 848n) / 1000n);
    expect(run(0x0e, concat(g2(2n), word(5n)))).toEqual(g2(10n));
  });

  it("checks pairings", () => {
    const input = concat(g1(6n), g2(5n), g1(order - 15n), g2(2n));
    expect(run(0x0f, input)).toEqual(word(1n));
    expect(run(0x0f, input.subarray(0, 384))).toEqual(word(0n));
    expect(run(0x0f, EMPTY_BYTES)).toBeUndefined();
  });

  it("maps field elements into the groups", () => {
    const inG1 = run(0x10, field(42n)) as Uint8Array;
    expect(run(0x0c, concat(inG1, word(order)))).toEqual(new Uint8Array(128));
    expect(run(0x11, concat(field(1n), field(fields.Fp.ORDER)))).toBeUndefined();
    expect(run(0x11, concat(field(1n), field(2n)))).toHaveLength(256);
  });

  it("adds points outside the subgroup, but multiplies only those inside", () => {
    const { Fp } = fields;
    let x = 1n;
    while (!isOutside(x)) x++;
    const point = concat(field(x), field(Fp.sqrt(x ** 3n + 4n)));
    expect(run(0x0b, concat(point, new Uint8Array(128)))).toEqual(point);
    expect(run(0x0c, concat(point, word(1n)))).toBeUndefined();

    function isOutside(candidate: bigint): boolean {
      const right = Fp.create(candidate ** 3n + 4n);
      if (Fp.pow(right, (Fp.ORDER - 1n) / 2n) !== 1n) return false;
      return !G1.Point.fromAffine({ x: candidate, y: Fp.sqrt(right) }).isTorsionFree();
    }
  });
});

describe("KZG point evaluation", () => {
  // A constant polynomial has its value everywhere, and the point at infinity proves it.
  const { Point } = bls12_381.G1;
  const commitment = Point.BASE.multiply(9n).toBytes();
  const proof = concat(Uint8Array.of(0xc0), new Uint8Array(47));

  it("accepts only the value of a constant polynomial", () => {
    const hash = run(2, commitment) as Uint8Array;
    hash[0] = 1;
    const input = (value: bigint) => concat(hash, word(5n), word(value), commitment, proof);
    expect(bytesToBigint((run(0x0a, input(9n)) as Uint8Array).subarray(0, 32))).toBe(4096n);
    expect(run(0x0a, input(8n))).toBeUndefined();
    expect(run(0x0a, input(9n).subarray(1))).toBeUndefined();
  });
});
