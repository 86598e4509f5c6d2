import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 as portableBn254 } from "@noble/curves/bn254.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bn254 } from "../../../protocol/crypto/mcl/bn254.ts";
import { FORKS, type Rules } from "../../../protocol/params/forks.ts";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { activePrecompiles } from "./index.ts";

const rules = {
  chainId: 1n,
  level: FORKS.length,
  ...Object.fromEntries(FORKS.map((fork) => [fork, true])),
} as unknown as Rules;
const table = activePrecompiles(rules);
const context = {
  rules,
  feePayer: new Uint8Array(20),
  state: undefined as unknown as StateJournal,
  checkDeadline: () => undefined,
};
const run = (number: number, input: Uint8Array): Uint8Array | string => {
  const output = table.get(number)?.run(input, context) ?? "none";
  return output instanceof Uint8Array || typeof output === "string" ? output : output.text;
};
const word = (value: bigint) => bigintToFixedBytes(value, 32);
const scalar = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const index = fc.bigInt({ min: 0n, max: 2n ** 64n });
const few = { numRuns: 10 };

describe("BN254 by mcl", () => {
  const { G1, G2, fields } = { ...portableBn254, fields: portableBn254.fields };
  const { Fp, Fp2, Fr, Fp12 } = fields;
  type P1 = ReturnType<typeof G1.Point.fromAffine>;
  type P2 = ReturnType<typeof G2.Point.fromAffine>;
  const g1 = (point: P1) => (point.is0() ? new Uint8Array(64) : concat(word(point.x), word(point.y)));
  const g2 = (point: P2) =>
    point.is0() ? new Uint8Array(128) : concat(...[point.x.c1, point.x.c0, point.y.c1, point.y.c0].map(word));
  const times = (k: bigint) => G1.Point.BASE.multiplyUnsafe(Fr.create(k));
  const times2 = (k: bigint) => G2.Point.BASE.multiplyUnsafe(Fr.create(k));

  /** A point of the twist, almost never in the group. */
  const onTwist = (seed: bigint): P2 => {
    for (let c1 = 1n; ; c1++) {
      const x = { c0: Fp.create(seed), c1 };
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b));
        return G2.Point.fromAffine({ x, y });
      } catch {}
    }
  };

  it("adds and multiplies as the portable library does", () => {
    fc.assert(
      fc.property(index, index, scalar, (a, b, k) => {
        expect(run(6, concat(g1(times(a)), g1(times(b))))).toEqual(g1(times(a).add(times(b))));
        expect(run(6, concat(g1(times(a)), g1(times(a))))).toEqual(g1(times(2n * a)));
        expect(run(7, concat(g1(times(a)), word(k)))).toEqual(g1(times(a).multiplyUnsafe(Fr.create(k))));
      }),
      few,
    );
  });

  it("accepts and rejects coordinates by the rules of EIP-196", () => {
    const element = fc.oneof(fc.bigInt(0n, 4n), fc.bigInt(Fp.ORDER - 2n, Fp.ORDER + 2n), scalar);
    fc.assert(
      fc.property(element, element, (x, y) => {
        const isPoint = (x === 0n && y === 0n) || Fp.eql(Fp.sqr(y), Fp.add(Fp.pow(x, 3n), 3n));
        const canonical = x < Fp.ORDER && y < Fp.ORDER;
        const expected = !canonical
          ? "invalid fp.Element encoding"
          : isPoint
            ? concat(word(x), word(y))
            : "point is not on curve";
        expect(run(6, concat(word(x), word(y)))).toEqual(expected);
      }),
    );
  });

  it("detects points of the twist outside the group", () => {
    const point = bn254().g2.allocate(1);
    const place = ({ x, y }: P2) =>
      bn254().g2.read(point, [x.c0, x.c1, y.c0, y.c1].map(word)) && bn254().isInSecondGroup(point);
    fc.assert(
      fc.property(index, scalar, (k, seed) => {
        if (k !== 0n) expect(place(times2(k))).toBe(true);
        const other = onTwist(seed);
        expect(place(other)).toBe(other.isTorsionFree());
        const moved = other.add(times2(k));
        expect(place(moved)).toBe(moved.isTorsionFree());
      }),
      few,
    );
  });

  it.each([10_069n, 5_864_401n])("rejects points of the small order %i", (order) => {
    const cofactor = 2n * Fp.ORDER - Fr.ORDER;
    expect(cofactor % order).toBe(0n);
    let point = G2.Point.ZERO;
    const generator = onTwist(7n);
    for (const bit of ((cofactor / order) * Fr.ORDER).toString(2)) {
      point = point.double();
      if (bit === "1") point = point.add(generator);
    }
    expect(point.is0()).toBe(false);
    expect(run(8, concat(g1(times(1n)), g2(point)))).toBe("point is not in correct subgroup");
    expect(run(8, concat(g1(times(1n)), g2(point.add(times2(9n)))))).toBe("point is not in correct subgroup");
  });

  it("checks products of up to twenty pairings as the portable library does", () => {
    const pair = fc.tuple(fc.bigInt(0n, 5n), fc.bigInt(0n, 5n));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), fc.boolean(), (pairs, closes) => {
        const sum = pairs.reduce((total, [a, b]) => total + a * b, 0n);
        const all = closes ? [...pairs, [Fr.neg(Fr.create(sum)), 1n] as const] : pairs;
        const input = concat(...all.flatMap(([a, b]) => [g1(times(a)), g2(times2(b))]));
        const finite = all
          .map(([a, b]) => ({ g1: times(a), g2: times2(b) }))
          .filter((each) => !each.g1.is0() && !each.g2.is0());
        const isOne = Fp12.eql(portableBn254.pairingBatch(finite), Fp12.ONE);
        expect(isOne).toBe(closes || sum === 0n);
        expect(run(8, input)).toEqual(word(isOne ? 1n : 0n));
      }),
      { numRuns: 6 },
    );
  });

  it("fails for a pair with an invalid point", () => {
    const good = concat(g1(times(3n)), g2(times2(4n)));
    expect(run(8, concat(good, g1(times(3n)), g2(onTwist(5n))))).toBe("point is not in correct subgroup");
    expect(run(8, concat(good, g1(times(3n)), word(Fp.ORDER), new Uint8Array(96)))).toBe(
      "invalid fp.Element encoding",
    );
  });
});

describe("BLS12-381 by mcl", () => {
  const { G1, G2, fields } = bls12_381;
  const { Fp, Fp2, Fr, Fp12 } = fields;
  type P1 = ReturnType<typeof G1.Point.fromAffine>;
  type P2 = ReturnType<typeof G2.Point.fromAffine>;
  const field = (value: bigint) => bigintToFixedBytes(value, 64);
  const g1 = (point: P1) => (point.is0() ? new Uint8Array(128) : concat(field(point.x), field(point.y)));
  const g2 = (point: P2) =>
    point.is0()
      ? new Uint8Array(256)
      : concat(...[point.x.c0, point.x.c1, point.y.c0, point.y.c1].map(field));
  const times = (k: bigint) => G1.Point.BASE.multiplyUnsafe(Fr.create(k));
  const times2 = (k: bigint) => G2.Point.BASE.multiplyUnsafe(Fr.create(k));

  const onCurve = (seed: bigint): P1 => {
    for (let x = Fp.create(seed); ; x = Fp.add(x, 1n)) {
      try {
        return G1.Point.fromAffine({ x, y: Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n)) });
      } catch {}
    }
  };
  const onTwist = (seed: bigint): P2 => {
    for (let c1 = 1n; ; c1++) {
      const x = { c0: Fp.create(seed), c1 };
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b));
        return G2.Point.fromAffine({ x, y });
      } catch {}
    }
  };
  /** A sum of points, which may be outside the subgroup. */
  const sum = (a: P2, b: P2) => a.add(b);

  it("adds in both groups, inside and outside the subgroup", () => {
    fc.assert(
      fc.property(scalar, scalar, index, (a, b, k) => {
        const [p, q] = [onCurve(a), onCurve(b)];
        expect(run(0x0b, concat(g1(p), g1(q)))).toEqual(g1(p.add(q)));
        expect(run(0x0b, concat(g1(p), g1(p)))).toEqual(g1(p.double()));
        expect(run(0x0b, concat(g1(p), g1(p.negate())))).toEqual(new Uint8Array(128));
        const [s, t] = [onTwist(a), times2(k)];
        expect(run(0x0d, concat(g2(s), g2(t)))).toEqual(g2(sum(s, t)));
        expect(run(0x0d, concat(g2(s), g2(s)))).toEqual(g2(s.double()));
      }),
      few,
    );
  });

  it("computes multi-scalar multiplications, including points at infinity and any scalar", () => {
    const term = fc.tuple(fc.bigInt(0n, 2n ** 64n), fc.oneof(scalar, fc.constant(Fr.ORDER), fc.constant(0n)));
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 140 }), (terms) => {
        const input = concat(...terms.flatMap(([k, factor]) => [g1(times(k)), word(factor)]));
        const total = terms.reduce(
          (sum, [k, factor]) => Fr.add(sum, Fr.mul(Fr.create(k), Fr.create(factor))),
          0n,
        );
        expect(run(0x0c, input)).toEqual(g1(times(total)));
        const three = terms.slice(0, 3);
        const input2 = concat(...three.flatMap(([k, factor]) => [g2(times2(k)), word(factor)]));
        const total2 = three.reduce(
          (sum, [k, factor]) => Fr.add(sum, Fr.mul(Fr.create(k), Fr.create(factor))),
          0n,
        );
        expect(run(0x0e, input2)).toEqual(g2(times2(total2)));
      }),
      { numRuns: 5 },
    );
  });

  it("rejects points outside the subgroup in multiplications and pairings", () => {
    fc.assert(
      fc.property(scalar, (seed) => {
        const [p, q] = [onCurve(seed), onTwist(seed)];
        const outside1 = "g1 point is not on correct subgroup";
        const outside2 = "g2 point is not on correct subgroup";
        expect(run(0x0c, concat(g1(p), word(1n)))).toEqual(p.isTorsionFree() ? g1(p) : outside1);
        expect(run(0x0e, concat(g2(q), word(1n)))).toEqual(q.isTorsionFree() ? g2(q) : outside2);
        expect(run(0x0f, concat(g1(times(1n)), g2(q)))).toEqual(q.isTorsionFree() ? word(0n) : outside2);
      }),
      few,
    );
  });

  it("checks products of pairings as the portable library does", () => {
    const pair = fc.tuple(fc.bigInt(0n, 5n), fc.bigInt(0n, 5n));
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 10 }), fc.boolean(), (pairs, closes) => {
        const product = pairs.reduce((total, [a, b]) => total + a * b, 0n);
        const all = closes ? [...pairs, [Fr.neg(Fr.create(product)), 1n] as const] : pairs;
        const input = concat(...all.flatMap(([a, b]) => [g1(times(a)), g2(times2(b))]));
        const finite = all
          .map(([a, b]) => ({ g1: times(a), g2: times2(b) }))
          .filter((each) => !each.g1.is0() && !each.g2.is0());
        const isOne = Fp12.eql(bls12_381.pairingBatch(finite), Fp12.ONE);
        expect(run(0x0f, input)).toEqual(word(isOne ? 1n : 0n));
      }),
      { numRuns: 5 },
    );
  });

  it("maps field elements as the portable library does", () => {
    const element = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(Fp.ORDER - 3n, Fp.ORDER - 1n), scalar);
    const map1 = G1.mapToCurve as unknown as (x: bigint) => P1;
    const map2 = G2.mapToCurve as unknown as (x: [bigint, bigint]) => P2;
    fc.assert(
      fc.property(element, element, (a, b) => {
        expect(run(0x10, field(a))).toEqual(g1(map1(a)));
        expect(run(0x11, concat(field(a), field(b)))).toEqual(g2(map2([a, b])));
      }),
      few,
    );
  });

  it("decompresses the points of KZG commitments as the portable library does", () => {
    fc.assert(
      fc.property(index, scalar, (k, value) => {
        const commitment = times(k).toBytes();
        const hash = run(2, commitment) as Uint8Array;
        hash[0] = 1;
        const claimed = word(Fr.create(value));
        const infinity = concat(Uint8Array.of(0xc0), new Uint8Array(47));
        const right = word(Fr.create(k));
        const input = (y: Uint8Array) => concat(hash, claimed, y, commitment, infinity);
        expect((run(0x0a, input(right)) as Uint8Array).length).toBe(64);
        const wrong = word(Fr.add(Fr.create(k), 1n));
        expect(run(0x0a, input(wrong))).toBe("error verifying kzg proof: can't verify opening proof");
        expect(bytesToBigint(right)).toBe(Fr.create(k));
      }),
      { numRuns: 10 },
    );
  });
});
