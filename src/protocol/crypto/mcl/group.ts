import type { MclFunctions, MclInstance } from "./functions.ts";

/** Address of a point in an instance's memory. */
export type PointAddress = number;

/** Size of a field element in memory, for every curve. */
export const FIELD_SIZE = 48;
const SCALAR_SIZE = 32;
/** Products summed in one step: about 10 ms. */
const PRODUCTS_AT_ONCE = 32;

/** The C functions of one of the two groups. */
interface GroupFunctions {
  isValid(p: PointAddress): number;
  isZero(p: PointAddress): number;
  isValidOrder(p: PointAddress): number;
  deserialize(p: PointAddress, bytes: number, size: number): number;
  serialize(bytes: number, capacity: number, p: PointAddress): number;
  normalize(q: PointAddress, p: PointAddress): void;
  clear(p: PointAddress): void;
  neg(q: PointAddress, p: PointAddress): void;
  add(r: PointAddress, p: PointAddress, q: PointAddress): void;
  mul(q: PointAddress, p: PointAddress, scalar: number): void;
  mulCT(q: PointAddress, p: PointAddress, scalar: number): void;
  mulVec(q: PointAddress, p: PointAddress, scalars: number, count: number): void;
}

/** One of the two groups of a curve. Coordinates are big-endian, the real part of an extension element first. */
export class Group {
  /** Bytes of a point in the memory: three coordinates. */
  readonly pointSize: number;
  readonly #mcl: MclInstance;
  readonly #functions: GroupFunctions;
  /** Field elements of an affine point: 2 or 4. */
  readonly #elements: 2 | 4;
  readonly #fieldBytes: number;
  /** Memory for input and output bytes, for scalars and for a result. */
  readonly #bytes: number;
  readonly #points: PointAddress;
  readonly #scalars: number;
  readonly #sum: PointAddress;

  /** @param fieldBytes - length of a field element in input and output */
  constructor(mcl: MclInstance, name: "G1" | "G2", fieldBytes: number) {
    this.#mcl = mcl;
    this.#functions = functionsOf(mcl.functions, name);
    this.#elements = name === "G1" ? 2 : 4;
    this.#fieldBytes = fieldBytes;
    this.pointSize = (this.#elements / 2) * 3 * FIELD_SIZE;
    this.#bytes = mcl.functions.malloc(4 * FIELD_SIZE);
    this.#points = this.allocate(PRODUCTS_AT_ONCE);
    this.#scalars = mcl.functions.malloc(PRODUCTS_AT_ONCE * SCALAR_SIZE);
    this.#sum = this.allocate(1);
  }

  /** Memory for points, side by side, for as long as the instance lives. */
  allocate(count: number): PointAddress {
    return this.#mcl.functions.malloc(count * this.pointSize);
  }

  /** Reads an affine point, zeros being infinity. @returns whether it is on the curve, in the subgroup or not */
  read(point: PointAddress, coordinates: readonly Uint8Array[]): boolean {
    if (coordinates.every((element) => element.every((byte) => byte === 0))) {
      this.#functions.clear(point);
      return true;
    }
    const { functions } = this.#mcl;
    for (const [i, element] of coordinates.entries()) {
      setField(this.#mcl, point + i * FIELD_SIZE, element, this.#bytes);
    }
    const z = point + this.#elements * FIELD_SIZE;
    functions.mclBnFp_setInt32(z, 1);
    if (this.#elements === 4) functions.mclBnFp_setInt32(z + FIELD_SIZE, 0);
    return this.#functions.isValid(point) === 1;
  }

  /** Reads a point compressed as Ethereum's consensus does. @returns whether it is on the curve */
  readCompressed(point: PointAddress, bytes: Uint8Array): boolean {
    this.#mcl.bytes().set(bytes, this.#bytes);
    return this.#functions.deserialize(point, this.#bytes, bytes.length) === bytes.length;
  }

  /** A point compressed as Ethereum's consensus does. @returns new bytes */
  writeCompressed(point: PointAddress): Uint8Array {
    const length = this.#functions.serialize(this.#bytes, 4 * FIELD_SIZE, point);
    return this.#mcl.bytes().slice(this.#bytes, this.#bytes + length);
  }

  /** Affine coordinates of a point, zeros for infinity; normalises the point in place. */
  write(point: PointAddress): Uint8Array[] {
    const size = this.#fieldBytes;
    if (this.isZero(point)) return Array.from({ length: this.#elements }, () => new Uint8Array(size));
    this.#functions.normalize(point, point);
    return Array.from({ length: this.#elements }, (_, i) => {
      const length = this.#mcl.functions.mclBnFp_getLittleEndian(
        this.#bytes,
        FIELD_SIZE,
        point + i * FIELD_SIZE,
      );
      const element = new Uint8Array(size);
      element.set(this.#mcl.bytes().subarray(this.#bytes, this.#bytes + Math.min(length, size)));
      return element.reverse();
    });
  }

  isZero(point: PointAddress): boolean {
    return this.#functions.isZero(point) === 1;
  }

  /** Whether a point of the curve lies in the subgroup of prime order. */
  inSubgroup(point: PointAddress): boolean {
    return this.#functions.isValidOrder(point) === 1;
  }

  copy(to: PointAddress, from: PointAddress): void {
    this.#mcl.bytes().copyWithin(to, from, from + this.pointSize);
  }

  /** Changes the sign of a point. */
  negate(point: PointAddress): void {
    this.#functions.neg(point, point);
  }

  /** Adds `summand` to `point`. */
  add(point: PointAddress, summand: PointAddress): void {
    this.#functions.add(point, point, summand);
  }

  /** Multiplies a point of the subgroup by a number of at most 32 bytes. */
  multiply(point: PointAddress, scalar: Uint8Array): void {
    this.#setScalar(this.#scalars, scalar);
    this.#functions.mul(point, point, this.#scalars);
  }

  /** As `multiply`, by a secret, in constant time. */
  multiplyBySecret(point: PointAddress, secret: Uint8Array): void {
    this.#setScalar(this.#scalars, secret);
    this.#functions.mulCT(point, point, this.#scalars);
    this.#mcl.bytes().fill(0, this.#scalars, this.#scalars + SCALAR_SIZE);
    this.#mcl.bytes().fill(0, this.#bytes, this.#bytes + secret.length);
  }

  /**
   * Sum of products of points of the subgroup, valid until the next sum.
   * @param read - reads a point to the given address, and returns its scalar of 32 bytes
   * @param checkDeadline - called before each part of the work; may throw to give it up
   */
  sumOfProducts(
    count: number,
    read: (index: number, point: PointAddress) => Uint8Array,
    checkDeadline: () => void,
  ): PointAddress {
    const part = this.#points;
    this.#functions.clear(this.#sum);
    for (let done = 0; done < count; done += PRODUCTS_AT_ONCE) {
      const size = Math.min(count - done, PRODUCTS_AT_ONCE);
      for (let i = 0; i < size; i++) {
        checkDeadline();
        const scalar = read(done + i, part + i * this.pointSize);
        this.#setScalar(this.#scalars + i * SCALAR_SIZE, scalar);
      }
      this.#functions.mulVec(part, part, this.#scalars, size);
      this.add(this.#sum, part);
    }
    return this.#sum;
  }

  #setScalar(address: number, scalar: Uint8Array): void {
    this.#mcl.bytes().set(scalar, this.#bytes);
    this.#mcl.functions.mclBnFr_setBigEndianMod(address, this.#bytes, scalar.length);
  }
}

/** Creates a field element from big-endian bytes, through a buffer of their length in the memory. */
export function setField(mcl: MclInstance, element: number, bigEndian: Uint8Array, buffer: number): void {
  const bytes = mcl.bytes();
  const last = buffer + bigEndian.length - 1;
  for (let i = 0; i < bigEndian.length; i++) bytes[last - i] = bigEndian[i] as number;
  mcl.functions.mclBnFp_setLittleEndian(element, buffer, bigEndian.length);
}

function functionsOf(mcl: MclFunctions, name: "G1" | "G2"): GroupFunctions {
  return {
    isValid: mcl[`mclBn${name}_isValid`],
    isZero: mcl[`mclBn${name}_isZero`],
    isValidOrder: mcl[`mclBn${name}_isValidOrder`],
    deserialize: mcl[`mclBn${name}_deserialize`],
    serialize: mcl[`mclBn${name}_serialize`],
    normalize: mcl[`mclBn${name}_normalize`],
    clear: mcl[`mclBn${name}_clear`],
    neg: mcl[`mclBn${name}_neg`],
    add: mcl[`mclBn${name}_add`],
    mul: mcl[`mclBn${name}_mul`],
    mulCT: mcl[`mclBn${name}_mulCT`],
    mulVec: mcl[`mclBn${name}_mulVec`],
  };
}
