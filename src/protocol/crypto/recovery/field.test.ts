import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint } from "../../primitives/bytes.ts";
import { compile, instantiate, type WasmMemory } from "../../wasm/web-assembly.ts";
import { Elements } from "./elements.ts";
import { COLUMNS, ELEMENT, GROUPS, LIMB_BITS, LIMBS, ZERO_LANES } from "./layout.ts";
import { recoveryModule } from "./module.ts";

const P = 2n ** 256n - 2n ** 32n - 977n;
const wasm = instantiate<
  { readonly memory: WasmMemory } & Readonly<Record<string, (...places: number[]) => void>>
>(compile(recoveryModule()));
const limbs = new Int16Array(wasm.memory.buffer);
const words = new Int32Array(wasm.memory.buffer);
const elements = new Elements(wasm.memory.buffer);
const [A, B, C, D, E] = [0, 1, 2, 3, 4].map((i) => GROUPS + i * ELEMENT) as [
  number,
  number,
  number,
  number,
  number,
];
const call = (name: string, ...places: number[]) => wasm[name]?.(...places);
const mod = (value: bigint) => ((value % P) + P) % P;

const at = (element: number, lane: number, limb: number) =>
  element / 2 + 8 * (limb >> 1) + 2 * lane + (limb & 1);

function write(element: number, lanes: readonly (readonly number[])[], factor = 1): void {
  for (const [lane, values] of lanes.entries()) {
    for (const [i, value] of values.entries()) limbs[at(element, lane, i)] = value * factor;
  }
}

/** The number in a lane, by its limbs. */
function read(element: number, lane: number): bigint {
  let value = 0n;
  for (let i = LIMBS - 1; i >= 0; i--) {
    value = (value << BigInt(LIMB_BITS)) + BigInt(limbs[at(element, lane, i)] as number);
  }
  return value;
}

const sized = (most: number) =>
  fc.oneof(fc.integer({ min: -most, max: most }), fc.constantFrom(most, -most, 0));
const lane = fc.oneof(
  fc.array(sized(4096), { minLength: LIMBS, maxLength: LIMBS }),
  fc.constantFrom(4096, -4096, 4095, 0).map((limb) => Array<number>(LIMBS).fill(limb)),
);
const element = fc.array(lane, { minLength: 4, maxLength: 4 });
const factor = fc.constantFrom(-5, -3, -2, -1, 1, 2, 3, 5);

/** Checks the number in each lane and, after a product, that limbs are small again. */
function expectLanes(place: number, expected: (lane: number) => bigint): void {
  for (let i = 0; i < 4; i++) {
    expect(mod(read(place, i))).toBe(mod(expected(i)));
    for (let j = 0; j < LIMBS; j++) {
      expect(Math.abs(limbs[at(place, i, j)] as number)).toBeLessThanOrEqual(4097);
    }
  }
}

describe("field elements of four limbs", () => {
  it("multiply, also with limbs five times as large as those of a product", () => {
    fc.assert(
      fc.property(element, element, factor, (a, b, times) => {
        write(A, a);
        write(B, b, times);
        call("multiplyColumns", A, B);
        call("reduce", C);
        expectLanes(C, (i) => read(A, i) * read(B, i));
      }),
    );
  });

  it("square, times a small factor", () => {
    fc.assert(
      fc.property(element, factor, (a, times) => {
        write(A, a);
        write(B, a, times);
        call("squareColumns", A, B);
        call("reduce", C);
        expectLanes(C, (i) => read(A, i) * read(B, i));
      }),
    );
  });

  it("add products and a summand before reduction", () => {
    fc.assert(
      fc.property(element, element, element, (a, b, c) => {
        write(A, a, 2);
        write(B, b);
        write(C, c, -2);
        write(D, c);
        write(E, c, 4);
        call("multiplyColumns", A, B);
        call("addSquareColumns", D, C);
        call("addMultiplyColumns", B, D);
        call("reducePlus", E, E);
        const [lane0, lane1, lane2, lane3] = [0, 1, 2, 3].map(
          (i) =>
            read(A, i) * read(B, i) + read(C, i) * read(D, i) + read(B, i) * read(D, i) + 4n * read(D, i),
        ) as [bigint, bigint, bigint, bigint];
        expectLanes(E, (i) => [lane0, lane1, lane2, lane3][i] as bigint);
      }),
    );
  });

  it("are reduced from columns of any size that products have", () => {
    const most = 5 * 20 * 4097 ** 2;
    const column = fc.oneof(
      fc.constantFrom(-4096, -4097, -4095, 4095, 0, 1, -1, -8192, 8191, most, -most, 2 ** 26, -(2 ** 26)),
      fc.integer({ min: -most, max: most }),
    );
    const columns = fc.array(column, { minLength: 39, maxLength: 39 });
    // The highest column is a product of two limbs, five times at most.
    const top = fc.integer({ min: -5 * 4097 ** 2, max: 5 * 4097 ** 2 });
    fc.assert(
      fc.property(
        fc.oneof(
          columns,
          column.map((one) => Array<number>(39).fill(one)),
        ),
        top,
        (low, highest) => {
          const all = [...low.slice(0, 38), highest];
          for (const [i, value] of all.entries())
            words.fill(value, (COLUMNS + 16 * i) / 4, (COLUMNS + 16 * i) / 4 + 4);
          call("reduce", A);
          const value = all.reduceRight((sum, each) => (sum << BigInt(LIMB_BITS)) + BigInt(each), 0n);
          expectLanes(A, () => value);
        },
      ),
      // the last carry, -1, goes into a limb of 0
      { numRuns: 600, examples: [[[...Array(7).fill(-4096), ...Array(32).fill(0)], -65_536]] },
    );
  });

  it("have one canonical form, and detect 0", () => {
    const values = fc.oneof(
      fc.constantFrom(0n, 1n, P - 1n, P, P + 1n, 2n ** 256n - 1n, 2n ** 32n + 976n, 2n ** 32n + 977n),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToBigint),
    );
    const four = fc.array(values, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(four, four, fc.constantFrom(-1, 1), (a, b, sign) => {
        for (let i = 0; i < 4; i++) {
          elements.put(A, i, bigintToFixedBytes(a[i] as bigint, 32));
          elements.put(B, i, bigintToFixedBytes(b[i] as bigint, 32));
        }
        for (let k = 0; k < ELEMENT / 2; k++) {
          limbs[C / 2 + k] = sign * ((limbs[A / 2 + k] as number) - (limbs[B / 2 + k] as number));
        }
        call("canonical", D, C);
        for (let i = 0; i < 4; i++) {
          const expected = mod(BigInt(sign) * ((a[i] as bigint) - (b[i] as bigint)));
          const bytes = new Uint8Array(40);
          elements.take(D, i, bytes, 4);
          expect(bytesToBigint(bytes.subarray(4, 36))).toBe(expected);
          expect(words[ZERO_LANES / 4 + i]).toBe(expected === 0n ? -1 : 0);
          for (let j = 0; j < LIMBS; j++) expect(limbs[at(D, i, j)]).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("have inverses, and square roots where they exist", () => {
    fc.assert(
      fc.property(element, (a) => {
        write(A, a);
        call("invert", B, A);
        call("squareColumns", A, A);
        call("reduce", C);
        call("squareRoot", D, C);
        for (let i = 0; i < 4; i++) {
          expect(mod(read(A, i) * read(B, i))).toBe(mod(read(A, i)) === 0n ? 0n : 1n);
          expect(mod(read(D, i) * read(D, i))).toBe(mod(read(C, i)));
        }
      }),
      { numRuns: 20 },
    );
  });
});
