import { hexToBytes } from "../../primitives/hex.ts";
import { FIELD_SIZE, type PointAddress } from "./group.ts";
import { PairingCurve } from "./pairing-curve.ts";

/** Order of the base field. @see EIP-2537 */
const FIELD_ORDER =
  "0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
/** The generator of the first group, compressed. @see draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1 */
export const GENERATOR_G1: Uint8Array = hexToBytes(
  "0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
);
/** Maps of RFC 9380. */
const MAP_TO_CURVE = 5;

let instance: Bls12381 | undefined;

/** The curve, made at the first call. */
export function bls12381(): Bls12381 {
  instance ??= new Bls12381();
  return instance;
}

/** BLS12-381. */
export class Bls12381 extends PairingCurve {
  readonly #element: number;
  readonly #mapped: { readonly inG1: PointAddress; readonly inG2: PointAddress };

  constructor() {
    super(5, hexToBytes(FIELD_ORDER));
    const { functions } = this.mcl;
    functions.mclBn_setETHserialization(1);
    functions.mclBn_setMapToMode(MAP_TO_CURVE);
    this.#element = functions.malloc(2 * FIELD_SIZE);
    this.#mapped = { inG1: this.g1.allocate(1), inG2: this.g2.allocate(1) };
  }

  /** Point of the first group for a field element, valid until the next map. @see RFC 9380 section 6.6.3 */
  mapToG1(elements: readonly Uint8Array[]): PointAddress {
    this.#place(elements);
    this.mcl.functions.mclBnFp_mapToG1(this.#mapped.inG1, this.#element);
    return this.#mapped.inG1;
  }

  /** Point of the second group for the real and imaginary parts of an element, valid until the next map. */
  mapToG2(elements: readonly Uint8Array[]): PointAddress {
    this.#place(elements);
    this.mcl.functions.mclBnFp2_mapToG2(this.#mapped.inG2, this.#element);
    return this.#mapped.inG2;
  }

  /** Hashes a message to a point of the second group, valid until the next map. @see RFC 9380 section 8.8.2 */
  hashToG2(message: Uint8Array, tag: Uint8Array): PointAddress {
    const { functions, bytes } = this.mcl;
    const [text, name] = [functions.malloc(message.length + 1), functions.malloc(tag.length)];
    bytes().set(message, text);
    bytes().set(tag, name);
    functions.mclBnG2_hashAndMapToWithDst(this.#mapped.inG2, text, message.length, name, tag.length);
    functions.free(text);
    functions.free(name);
    return this.#mapped.inG2;
  }

  #place(elements: readonly Uint8Array[]): void {
    for (const [i, element] of elements.entries()) this.setField(this.#element + i * FIELD_SIZE, element);
  }
}
