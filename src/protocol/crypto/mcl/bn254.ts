import { hexToBytes } from "../../primitives/hex.ts";
import { FIELD_SIZE, type PointAddress } from "./group.ts";
import { PairingCurve } from "./pairing-curve.ts";

/** Order of the base field. @see EIP-196 */
const FIELD_ORDER = "0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
/** The curve's parameter: the orders of field and group are polynomials in it. */
const SEED = 0x44e992b44a6909f1n;
/** ξ^((p−1)/3) and ξ^((p−1)/2) for ξ = 9 + u, real and imaginary parts. */
const TWIST = [
  "0x2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553d",
  "0x16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2",
  "0x063cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135a",
  "0x07c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3",
];

let instance: Bn254 | undefined;

/** The curve, made at the first call. */
export function bn254(): Bn254 {
  instance ??= new Bn254();
  return instance;
}

/** BN254 (alt_bn128). All points of its first group are of prime order. */
export class Bn254 extends PairingCurve {
  readonly #twist: number;
  readonly #terms: readonly PointAddress[];

  constructor() {
    super(4, hexToBytes(FIELD_ORDER));
    this.#twist = this.mcl.functions.malloc(TWIST.length * FIELD_SIZE);
    for (const [i, constant] of TWIST.entries())
      this.setField(this.#twist + i * FIELD_SIZE, hexToBytes(constant));
    this.#terms = [0, 1, 2].map(() => this.g2.allocate(1));
  }

  /**
   * Whether a point of the twist lies in the second group: (x+1)·Q + ψ(x·Q) + ψ²(x·Q) = ψ³(2x·Q), a quarter of the work
   * of a product with the group's order.
   * @see "Co-factor clearing and subgroup membership testing on pairing-friendly curves" (eprint 2022/348), section 5
   */
  isInSecondGroup(point: PointAddress): boolean {
    const { functions } = this.mcl;
    const [left, multiple, right] = this.#terms as [PointAddress, PointAddress, PointAddress];
    this.#multiplyBySeed(multiple, point);
    functions.mclBnG2_add(left, multiple, point);
    functions.mclBnG2_dbl(right, multiple);
    this.#frobenius(multiple);
    this.g2.add(left, multiple);
    this.#frobenius(multiple);
    this.g2.add(left, multiple);
    for (let i = 0; i < 3; i++) this.#frobenius(right);
    return functions.mclBnG2_isEqual(left, right) === 1;
  }

  /** By double-and-add, which also works outside the group. */
  #multiplyBySeed(product: PointAddress, point: PointAddress): void {
    const { functions, bytes } = this.mcl;
    bytes().copyWithin(product, point, point + this.g2.pointSize);
    for (let bit = 61n; bit >= 0n; bit--) {
      functions.mclBnG2_dbl(product, product);
      if ((SEED >> bit) & 1n) functions.mclBnG2_add(product, product, point);
    }
  }

  /** ψ: conjugates the coordinates, and multiplies x and y by the constants of the twist. */
  #frobenius(point: PointAddress): void {
    const { functions } = this.mcl;
    for (const imaginary of [1, 3, 5]) {
      functions.mclBnFp_neg(point + imaginary * FIELD_SIZE, point + imaginary * FIELD_SIZE);
    }
    functions.mclBnFp2_mul(point, point, this.#twist);
    functions.mclBnFp2_mul(point + 2 * FIELD_SIZE, point + 2 * FIELD_SIZE, this.#twist + 2 * FIELD_SIZE);
  }
}
