import { bls12_381 } from "@noble/curves/bls12-381.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint, concat } from "../primitives/bytes.ts";
import { loadPortableBls } from "./bls.ts";
import { createMclBls } from "./bls-mcl.ts";

const { G1, G2, fields } = bls12_381;
const { Fp, Fp2, Fr } = fields;
type P1 = ReturnType<typeof G1.Point.fromAffine>;
type P2 = ReturnType<typeof G2.Point.fromAffine>;

const few = { numRuns: 5 };
const secret = fc.bigInt(1n, Fr.ORDER - 1n).map((value) => bigintToFixedBytes(value, 32));
const message = fc.uint8Array({ maxLength: 200 });

/** A point of the first curve, almost never of its subgroup. */
function onCurve(seed: bigint): P1 {
  for (let x = Fp.create(seed); ; x = Fp.add(x, 1n)) {
    try {
      return G1.Point.fromAffine({ x, y: Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n)) });
    } catch {}
  }
}

/** The same of the second curve. */
function onTwist(seed: bigint): P2 {
  for (let c1 = 1n; ; c1++) {
    const x = { c0: Fp.create(seed), c1 };
    try {
      return G2.Point.fromAffine({ x, y: Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b)) });
    } catch {}
  }
}

/** What is left of a point when its part of prime order is taken away: its order divides the cofactor. */
function torsionOf<P extends { add(other: P): P; double(): P }>(point: P, zero: P): P {
  let product = zero;
  for (const bit of Fr.ORDER.toString(2)) {
    product = product.double();
    if (bit === "1") product = product.add(point);
  }
  return product;
}

/** A point compressed; the library refuses to for those outside the subgroups. */
function compressed(point: P1 | P2): Uint8Array {
  const { x, y } = point.toAffine();
  const parts = (value: bigint | { c0: bigint; c1: bigint }) =>
    typeof value === "bigint" ? [value] : [value.c1, value.c0];
  const bytes = concat(...parts(x).map((part) => bigintToFixedBytes(part, 48)));
  const sign = parts(y).find((part) => part !== 0n) ?? 0n;
  bytes[0] = (bytes[0] as number) | (2n * sign > Fp.ORDER ? 0xa0 : 0x80);
  return bytes;
}

/** Changes of a compressed point that may or may not leave one. */
const damage = fc.constantFrom<(bytes: Uint8Array) => Uint8Array>(
  (bytes) => bytes,
  (bytes) => bytes.subarray(1),
  (bytes) => Uint8Array.of(...bytes, 0),
  (bytes) => new Uint8Array(bytes.length),
  (bytes) => bytes.map((byte, i) => (i === 0 ? byte ^ 0x20 : byte)), // the other y
  (bytes) => bytes.map((byte, i) => (i === 0 ? byte ^ 0x40 : byte)), // infinity with an x
  (bytes) => bytes.map((byte, i) => (i === 0 ? byte ^ 0x80 : byte)), // not compressed
  (bytes) => bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte)),
  (bytes) => bytes.map((_, i) => (i === 0 ? 0xc0 : 0)), // infinity
  (bytes) => bytes.map((_, i) => (i === 0 ? 0xe0 : 0)), // infinity with a sign
  (bytes) => bytes.map((_, i) => (i === 0 ? 0xc0 : i === 20 ? 1 : 0)),
  (bytes) => bytes.map((byte, i) => (i === 0 ? (byte & 0xe0) | 0x1f : 0xff)), // beyond the field
  unreduced,
);

/** The last element plus the order of the field, where it fits: the same number, written in another way. */
function unreduced(bytes: Uint8Array): Uint8Array {
  const at = bytes.length - 48;
  const flags = at === 0 ? (bytes[0] as number) & 0xe0 : 0;
  const element = bytes.slice(at);
  element[0] = (element[0] as number) ^ flags;
  const sum = bytesToBigint(element) + Fp.ORDER;
  if (sum >> (at === 0 ? 381n : 384n)) return bytes;
  const changed = bytes.slice();
  changed.set(bigintToFixedBytes(sum, 48), at);
  changed[at] = (changed[at] as number) | flags;
  return changed;
}

describe("BLS by mcl, compared with the portable library", async () => {
  const mcl = createMclBls();
  const portable = await loadPortableBls();

  it("derives, signs and proves the same", () => {
    fc.assert(
      fc.property(secret, message, (key, text) => {
        expect(mcl.publicKey(key)).toEqual(portable.publicKey(key));
        expect(mcl.sign(text, key)).toEqual(portable.sign(text, key));
        expect(mcl.provePossession(key)).toEqual(portable.provePossession(key));
      }),
      few,
    );
  });

  it("rejects the same secret keys", () => {
    for (const key of [new Uint8Array(32), bigintToFixedBytes(Fr.ORDER, 32), new Uint8Array(31).fill(1)])
      for (const bls of [mcl, portable]) {
        expect(() => bls.publicKey(key)).toThrow(Error);
        expect(() => bls.sign(new Uint8Array(1), key)).toThrow(Error);
        expect(() => bls.provePossession(key)).toThrow(Error);
      }
    const last = bigintToFixedBytes(Fr.ORDER - 1n, 32);
    expect(mcl.publicKey(last)).toEqual(portable.publicKey(last));
  });

  it("agrees on corrupted keys, signatures and proofs", () => {
    fc.assert(
      fc.property(secret, message, damage, damage, (key, text, ofPoint, ofKey) => {
        const publicKey = ofKey(portable.publicKey(key));
        const signature = ofPoint(portable.sign(text, key));
        const proof = ofPoint(portable.provePossession(key));
        const isRight = portable.verify(signature, text, publicKey);
        expect(mcl.verify(signature, text, publicKey)).toBe(isRight);
        expect(mcl.verifyPossession(proof, publicKey)).toBe(portable.verifyPossession(proof, publicKey));
        expect(mcl.verifyPossession(signature, publicKey)).toBe(false); // another tag
      }),
      { numRuns: 24 },
    );
  });

  it("rejects points outside the subgroups, even if the equation holds", () => {
    fc.assert(
      fc.property(secret, fc.bigInt(0n, Fp.ORDER - 1n), (key, seed) => {
        const proof = G2.Point.fromBytes(portable.provePossession(key));
        const publicKey = G1.Point.fromBytes(portable.publicKey(key));
        const [p, q] = [onCurve(seed), onTwist(seed)];
        const proofs = [q, torsionOf(q, G2.Point.ZERO), proof.add(torsionOf(q, G2.Point.ZERO))];
        const keys = [p, torsionOf(p, G1.Point.ZERO), publicKey.add(torsionOf(p, G1.Point.ZERO))];
        expect(mcl.verifyPossession(compressed(proof), compressed(publicKey))).toBe(true);
        for (const other of proofs) {
          expect(mcl.verifyPossession(compressed(other), publicKey.toBytes())).toBe(false);
          expect(portable.verifyPossession(compressed(other), publicKey.toBytes())).toBe(false);
        }
        for (const other of keys) {
          expect(mcl.verifyPossession(compressed(proof), compressed(other))).toBe(false);
          expect(portable.verifyPossession(compressed(proof), compressed(other))).toBe(false);
        }
        // The pairing does not see what is added to this key: only the look at its subgroup does.
        const [, , strayed] = keys as [P1, P1, P1];
        const text = Uint8Array.of(1);
        const signature = mcl.sign(text, key);
        expect(mcl.verify(signature, text, compressed(publicKey))).toBe(true);
        expect(mcl.verify(signature, text, compressed(strayed))).toBe(false);
      }),
      few,
    );
  });

  it("rejects random bytes", () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(bytes(96), bytes(48), (proof, key) => {
        const flagged = [proof, key].map((point) => point.with(0, ((point[0] as number) & 0x3f) | 0x80));
        const [a, b] = flagged as [Uint8Array, Uint8Array];
        expect(mcl.verifyPossession(a, b)).toBe(false);
        expect(portable.verifyPossession(a, b)).toBe(false);
      }),
      { numRuns: 12 },
    );
  });
});
