import type { WeierstrassPoint, WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import { vmError } from "../failures.ts";
import type { Precompile } from "../precompile.ts";
import { bn254Curve } from "./curves.ts";
import { NOT_CANONICAL, orFail } from "./define.ts";
import { booleanWord, paddedSlice } from "./input.ts";

type Point = WeierstrassPoint<bigint>;
type Fp2 = { c0: bigint; c1: bigint };
type TwistPoint = WeierstrassPoint<Fp2>;

const G1_SIZE = 64;
const PAIR_SIZE = 192;
const WRONG_SIZE = vmError("bad elliptic curve pairing size");

/** Sum of two points of BN254 (address 0x06). @see EIP-196 */
export const bn254Add = addition(500n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254AddIstanbul = addition(150n);
/** Product of a point and a 256-bit number (address 0x07). @see EIP-196 */
export const bn254Mul = multiplication(40_000n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254MulIstanbul = multiplication(6000n);
/** Whether the product of pairings is one (address 0x08). Input: pairs of a G1 and a G2 point. @see EIP-197 */
export const bn254Pairing = pairing(100_000n, 80_000n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254PairingIstanbul = pairing(45_000n, 34_000n);

function addition(gas: bigint): Precompile {
  return {
    name: "BN254_ADD",
    gas: () => gas,
    computation: () => 8000n,
    run: orFail((input) => {
      const left = decode(paddedSlice(input, 0, G1_SIZE));
      return encode(left.add(decode(paddedSlice(input, G1_SIZE, G1_SIZE))));
    }),
  };
}

function multiplication(gas: bigint): Precompile {
  return {
    name: "BN254_MUL",
    gas: () => gas,
    computation: () => 100_000n,
    run: orFail((input) => {
      const point = decode(paddedSlice(input, 0, G1_SIZE));
      const { Fn } = bn254Curve().bn254.G1.Point;
      return encode(point.multiplyUnsafe(Fn.create(bytesToBigint(paddedSlice(input, G1_SIZE, 32)))));
    }),
  };
}

function pairing(base: bigint, perPair: bigint): Precompile {
  const pairCount = (input: Uint8Array) => BigInt(Math.floor(input.length / PAIR_SIZE));
  return {
    name: "BN254_PAIRING",
    gas: (input) => base + perPair * pairCount(input),
    computation: (input) => 2_000_000n + 1_000_000n * pairCount(input),
    run: orFail((input) => (input.length % PAIR_SIZE === 0 ? checkPairs(input) : WRONG_SIZE)),
  };
}

function checkPairs(input: Uint8Array): Uint8Array {
  const { bn254 } = bn254Curve();
  const pairs: { g1: Point; g2: TwistPoint }[] = [];
  for (let at = 0; at < input.length; at += PAIR_SIZE) {
    const g1 = decode(input.subarray(at, at + G1_SIZE));
    const g2 = decodeTwist(input.subarray(at + G1_SIZE, at + PAIR_SIZE));
    if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
  }
  const { Fp12 } = bn254.fields;
  return booleanWord(Fp12.eql(bn254.pairingBatch(pairs), Fp12.ONE));
}

/** @throws Error when a coordinate is not below the field's order or the point is not on the curve */
function decode(bytes: Uint8Array): Point {
  const { Point } = bn254Curve().bn254.G1;
  const x = bytesToBigint(bytes.subarray(0, 32));
  const y = bytesToBigint(bytes.subarray(32, 64));
  if (x === 0n && y === 0n) return Point.ZERO;
  return onCurve(Point, x, y);
}

/** The imaginary part of a coordinate stands first. @throws Error as `decode`, and outside the subgroup */
function decodeTwist(bytes: Uint8Array): TwistPoint {
  const { Point } = bn254Curve().bn254.G2;
  const word = (index: number) => bytesToBigint(bytes.subarray(32 * index, 32 * index + 32));
  const [x1, x0, y1, y0] = [word(0), word(1), word(2), word(3)];
  if ((x0 | x1 | y0 | y1) === 0n) return Point.ZERO;
  const point = onCurve(Point, { c0: x0, c1: x1 }, { c0: y0, c1: y1 });
  if (!point.isTorsionFree()) throw new Error("point is not in correct subgroup");
  return point;
}

/** The point at coordinates that are not both zero. @throws Error when it is not on the curve */
function onCurve<F>(Point: WeierstrassPointCons<F>, x: F, y: F): WeierstrassPoint<F> {
  const { Fp } = Point;
  const { b } = Point.CURVE();
  if (!(Fp.isValid(x) && Fp.isValid(y))) throw new Error(NOT_CANONICAL);
  if (!Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), b))) throw new Error("point is not on curve");
  return Point.fromAffine({ x, y });
}

function encode(point: Point): Uint8Array {
  if (point.is0()) return new Uint8Array(G1_SIZE);
  const { x, y } = point.toAffine();
  return concat(bigintToFixedBytes(x, 32), bigintToFixedBytes(y, 32));
}
