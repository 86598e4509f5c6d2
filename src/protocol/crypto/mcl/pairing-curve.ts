import { type CurveId, createMcl, type MclInstance } from "./functions.ts";
import { FIELD_SIZE, Group, type PointAddress, setField } from "./group.ts";

/** Pairs whose Miller loops run in one step, sharing their squarings: about 10 ms. */
const PAIRS_AT_ONCE = 8;
/** An element of the target group. */
const TARGET_SIZE = 12 * FIELD_SIZE;

/** A curve with a pairing, computed by mcl in WebAssembly. Not reentrant. */
export class PairingCurve {
  readonly mcl: MclInstance;
  readonly g1: Group;
  readonly g2: Group;
  /** Order of the base field, big-endian. */
  readonly #order: Uint8Array;
  readonly #pairs: { readonly p: PointAddress; readonly q: PointAddress };
  readonly #product: number;
  readonly #factor: number;
  readonly #bytes: number;

  /** @param fieldOrder - of the base field, big-endian, as long as a field element in input and output */
  constructor(id: CurveId, fieldOrder: Uint8Array) {
    this.mcl = createMcl(id);
    const { functions } = this.mcl;
    functions.mclBn_verifyOrderG1(0);
    functions.mclBn_verifyOrderG2(0);
    this.#order = fieldOrder;
    this.g1 = new Group(this.mcl, "G1", fieldOrder.length);
    this.g2 = new Group(this.mcl, "G2", fieldOrder.length);
    this.#pairs = { p: this.g1.allocate(PAIRS_AT_ONCE), q: this.g2.allocate(PAIRS_AT_ONCE) };
    this.#product = functions.malloc(TARGET_SIZE);
    this.#factor = functions.malloc(TARGET_SIZE);
    this.#bytes = functions.malloc(FIELD_SIZE);
  }

  /** Whether a number, big-endian and as long as a field element, is below the order of the base field. */
  isCanonical(element: Uint8Array): boolean {
    for (let i = 0; i < this.#order.length; i++) {
      const difference = (element[i] as number) - (this.#order[i] as number);
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  /** Writes a field element to an address in the memory from its canonical bytes. */
  setField(address: number, element: Uint8Array): void {
    setField(this.mcl, address, element, this.#bytes);
  }

  /**
   * Whether the product of pairings is one; a pair with a point at infinity counts as one.
   * @param read - reads a pair of points of the subgroups to the given addresses
   * @param checkDeadline - called before each part of the work; may throw to give it up
   */
  productIsOne(
    count: number,
    read: (index: number, p: PointAddress, q: PointAddress) => void,
    checkDeadline: () => void,
  ): boolean {
    const { functions } = this.mcl;
    functions.mclBnGT_setInt32(this.#product, 1);
    let waiting = 0;
    for (let i = 0; i < count; i++) {
      checkDeadline();
      const p = this.#pairs.p + waiting * this.g1.pointSize;
      const q = this.#pairs.q + waiting * this.g2.pointSize;
      read(i, p, q);
      if (this.g1.isZero(p) || this.g2.isZero(q)) continue;
      if (++waiting < PAIRS_AT_ONCE) continue;
      this.#multiply(waiting);
      waiting = 0;
    }
    if (waiting > 0) this.#multiply(waiting);
    checkDeadline();
    functions.mclBn_finalExp(this.#factor, this.#product);
    return functions.mclBnGT_isOne(this.#factor) === 1;
  }

  #multiply(pairs: number): void {
    const { functions } = this.mcl;
    functions.mclBn_millerLoopVec(this.#factor, this.#pairs.p, this.#pairs.q, pairs);
    functions.mclBnGT_mul(this.#product, this.#product, this.#factor);
  }
}
