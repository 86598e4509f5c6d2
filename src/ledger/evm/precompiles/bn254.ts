import { type Bn254, bn254 } from "../../../protocol/crypto/mcl/bn254.ts";
import type { Group, PointAddress } from "../../../protocol/crypto/mcl/group.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { vmError } from "../failures.ts";
import type { Precompile } from "../precompile.ts";
import { failOnInvalidInput, InvalidInput, NOT_CANONICAL } from "./define.ts";
import { booleanWord, paddedSlice } from "./input.ts";

const WORD = 32;
const G1_SIZE = 64;
const PAIR_SIZE = 192;
const WRONG_SIZE = vmError("bad elliptic curve pairing size");

/** Sum of two points of BN254 (address 0x06). @see EIP-196 */
export const bn254Add = addition(500n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254AddIstanbul = addition(150n);
/** Scalar multiplication of a point of BN254 (address 0x07). @see EIP-196 */
export const bn254Mul = multiplication(40_000n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254MulIstanbul = multiplication(6000n);
/** Whether the product of pairings is one (address 0x08). Input: pairs of a G1 and a G2 point. @see EIP-197 */
export const bn254Pairing = pairing(100_000n, 80_000n);
/** The same with the price of istanbul. @see EIP-1108 */
export const bn254PairingIstanbul = pairing(45_000n, 34_000n);

/** Addresses of the operands in the curve's memory. */
let operands: { readonly left: PointAddress; readonly right: PointAddress } | undefined;

function addition(gas: bigint): Precompile {
  return {
    name: "BN254_ADD",
    gas: () => gas,
    computation: () => 8000n,
    run: failOnInvalidInput((input) => {
      const { g1 } = bn254();
      const { left, right } = operandsIn(g1);
      decode(left, paddedSlice(input, 0, G1_SIZE));
      decode(right, paddedSlice(input, G1_SIZE, G1_SIZE));
      g1.add(left, right);
      return concat(...g1.write(left));
    }),
  };
}

function multiplication(gas: bigint): Precompile {
  return {
    name: "BN254_MUL",
    gas: () => gas,
    computation: () => 100_000n,
    run: failOnInvalidInput((input) => {
      const { g1 } = bn254();
      const { left } = operandsIn(g1);
      decode(left, paddedSlice(input, 0, G1_SIZE));
      g1.multiply(left, paddedSlice(input, G1_SIZE, WORD));
      return concat(...g1.write(left));
    }),
  };
}

function pairing(base: bigint, perPair: bigint): Precompile {
  const pairCount = (input: Uint8Array) => BigInt(Math.floor(input.length / PAIR_SIZE));
  return {
    name: "BN254_PAIRING",
    gas: (input) => base + perPair * pairCount(input),
    computation: (input) => 2_000_000n + 1_000_000n * pairCount(input),
    run: failOnInvalidInput((input, { checkDeadline }) => {
      if (input.length % PAIR_SIZE !== 0) return WRONG_SIZE;
      const readPair = (index: number, p: PointAddress, q: PointAddress) => {
        const at = index * PAIR_SIZE;
        decode(p, input.subarray(at, at + G1_SIZE));
        decodeTwist(q, input.subarray(at + G1_SIZE, at + PAIR_SIZE));
      };
      return booleanWord(bn254().productIsOne(input.length / PAIR_SIZE, readPair, checkDeadline));
    }),
  };
}

function operandsIn(g1: Group): NonNullable<typeof operands> {
  operands ??= { left: g1.allocate(1), right: g1.allocate(1) };
  return operands;
}

/** @throws InvalidInput when a coordinate is not below the field's order or the point is not on the curve */
function decode(point: PointAddress, bytes: Uint8Array): void {
  const curve = bn254();
  readPoint(curve, curve.g1, point, [bytes.subarray(0, WORD), bytes.subarray(WORD)]);
}

/** The imaginary part of a coordinate comes first. @throws InvalidInput as `decode`, and outside the subgroup */
function decodeTwist(point: PointAddress, bytes: Uint8Array): void {
  const curve = bn254();
  const word = (index: number) => bytes.subarray(WORD * index, WORD * index + WORD);
  readPoint(curve, curve.g2, point, [word(1), word(0), word(3), word(2)]);
  if (!curve.isInSecondGroup(point)) throw new InvalidInput("point is not in correct subgroup");
}

function readPoint(curve: Bn254, group: Group, point: PointAddress, coordinates: Uint8Array[]): void {
  if (!coordinates.every((element) => curve.isCanonical(element))) throw new InvalidInput(NOT_CANONICAL);
  if (!group.read(point, coordinates)) throw new InvalidInput("point is not on curve");
}
