import * as noble from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../primitives/bytes.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { CURVE_ORDER } from "../curve.ts";
import { loadBackend, recoveringInBatches } from "../secp256k1-backend.ts";
import { nobleBackend } from "../secp256k1-noble.ts";
import { BatchRecovery, MAX_SIGNATURES, type Recovered } from "./batch-recovery.ts";
import { fixed, type LaneWriter, pointedAt } from "./lane-writer.ts";
import { ONE } from "./layout.ts";
import { FUNCTIONS, recoveryModule } from "./module.ts";
import { addTo } from "./points.ts";
import { recoverPublicKeys } from "./recover-public-keys.ts";
import { splitScalar } from "./scalars.ts";
import type { SignedHash } from "./signed-hash.ts";

const { Point } = noble.secp256k1;
const native = loadBackend();
const portable = nobleBackend(noble);
const batches = new BatchRecovery();
const FIELD = 2n ** 256n - 2n ** 32n - 977n;
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;
const word = (value: bigint) => bigintToFixedBytes(value, 32);
const modulo = (value: bigint) => ((value % CURVE_ORDER) + CURVE_ORDER) % CURVE_ORDER;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

const multiples = new Map<bigint, { readonly x: bigint; readonly y: bigint }>();

/** What a library makes of a signature. */
function alone(library: typeof native, { hash, rs, recid }: SignedHash): string {
  try {
    return bytesToHex(library.recover(hash, rs, recid).subarray(1));
  } catch {
    return "none";
  }
}

function shown(key: Recovered): string {
  return key instanceof Uint8Array ? bytesToHex(key) : (key ?? "none");
}

/** The signature whose key is u1·G + u2·R, for R = k·G. */
function signatureOf(k: bigint, u1: bigint, u2: bigint): SignedHash {
  const { x, y } = multiples.get(k) ?? Point.BASE.multiply(modulo(k)).toAffine();
  multiples.set(k, { x, y });
  const r = x % CURVE_ORDER;
  const rs = concat(word(r), word(modulo(u2 * r)));
  return { hash: word(modulo(-u1 * r)), rs, recid: Number(y & 1n) + (x >= CURVE_ORDER ? 2 : 0) };
}

/** Compares a batch with the native library; returns how many signatures with a key were left to it. */
function compare(signed: readonly SignedHash[]): number {
  let unclear = 0;
  for (let i = 0; i < signed.length; i += MAX_SIGNATURES) {
    const part = signed.slice(i, i + MAX_SIGNATURES);
    for (const [j, key] of batches.recover(part).entries()) {
      const expected = alone(native, part[j] as SignedHash);
      if (key !== "unclear") expect(shown(key)).toBe(expected);
      else if (expected !== "none") unclear++;
    }
  }
  expect(recoverPublicKeys(signed).map(shown)).toEqual(signed.map((each) => alone(native, each)));
  return unclear;
}

const honest = fc.tuple(bytes32, bytes32).map(([hash, key]): SignedHash => {
  const signed = native.sign(hash, native.isPrivateKey(key) ? key : word(1n));
  return { hash, rs: signed.subarray(0, 64), recid: signed[64] as number };
});
const edge = fc.constantFrom(
  ...[
    0n,
    1n,
    2n,
    5n,
    6n,
    7n,
    CURVE_ORDER / 2n,
    CURVE_ORDER - 1n,
    CURVE_ORDER,
    CURVE_ORDER + 1n,
    FIELD - CURVE_ORDER - 1n,
  ],
  ...[FIELD - CURVE_ORDER, FIELD - 1n, FIELD, 2n ** 255n, 2n ** 256n - 1n],
);
const scalar = fc.oneof(edge.map(word), bytes32);
const odd = fc
  .tuple(bytes32, scalar, scalar, fc.constantFrom(0, 1, 2, 3))
  .map(([hash, r, s, recid]): SignedHash => ({ hash, rs: concat(r, s), recid }));

describe("recovery of many keys", () => {
  it("finds the keys of thousands of signatures, in batches of any size", () => {
    const batch = fc.array(fc.oneof({ weight: 9, arbitrary: honest }, odd), { maxLength: 150, size: "max" });
    fc.assert(
      fc.property(batch, (signed) => {
        expect(compare(signed)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it("agrees with both libraries on every signature, including invalid ones", () => {
    fc.assert(
      fc.property(fc.array(odd, { minLength: 16, maxLength: 40 }), (signed) => {
        const keys = recoverPublicKeys(signed).map(shown);
        expect(keys).toEqual(signed.map((each) => alone(native, each)));
        expect(keys).toEqual(signed.map((each) => alone(portable, each)));
      }),
      { numRuns: 8 },
    );
  });

  it("accepts an x of R above the group order and below the field's size", () => {
    const signed: SignedHash[] = [];
    for (let r = 1n; r < 200n; r++) {
      for (const recid of [0, 1, 2, 3]) signed.push({ hash: word(r), rs: concat(word(r), word(9n)), recid });
    }
    compare(signed);
    const found = recoverPublicKeys(signed).filter((key, i) => key !== undefined && i % 4 > 1);
    expect(found.length).toBeGreaterThan(100);
  });

  it("rejects scalars of 0, and of the order and above, as the libraries do", () => {
    const bad = [0n, CURVE_ORDER, CURVE_ORDER + 1n, FIELD, 2n ** 256n - 1n].flatMap((value) => [
      concat(word(value), word(1n)),
      concat(word(1n), word(value)),
    ]);
    const signed = bad.flatMap((rs) => [0, 1, 2, 3].map((recid) => ({ hash: word(3n), rs, recid })));
    expect(recoverPublicKeys(signed)).toEqual(signed.map(() => undefined));
    compare(signed);
  });

  it("is correct for points R that are small multiples of the base point, and for small, large and round scalars", () => {
    const small = [1n, 2n, 3n, 4n, 5n, 15n, 16n, 17n, 31n, 32n, 33n, 255n, 256n, 257n, 65_537n];
    const round = [
      2n ** 64n,
      2n ** 127n,
      2n ** 128n,
      2n ** 128n - 1n,
      LAMBDA,
      LAMBDA * LAMBDA,
      CURVE_ORDER / 2n,
    ];
    const scalars = [...small, ...round].flatMap((value) => [modulo(value), modulo(-value)]);
    const signed: SignedHash[] = [];
    for (const k of [...small, ...round, -1n, -2n]) {
      for (const u1 of scalars) for (const u2 of scalars.slice(0, 5)) signed.push(signatureOf(k, u1, u2));
    }
    expect(signed.length).toBeGreaterThan(5_000);
    const unclear = compare(signed);
    expect(unclear).toBeGreaterThan(0);
    expect(unclear).toBeLessThan(signed.length / 4);
  });

  it("leaves sums of equal and opposite points, and a hash of 0, to the library, but nothing else of the batch", () => {
    const rest = fc.sample(honest, { numRuns: 30, seed: 7 });
    const special = [
      signatureOf(1n, 5n, 5n), // 5·G + 5·G
      signatureOf(1n, 5n, CURVE_ORDER - 5n), // the point at infinity: no key
      signatureOf(77n, 0n, 3n), // a hash of 0
      { ...signatureOf(3n, 1n, 1n), hash: word(CURVE_ORDER) }, // a hash that counts as 0
    ];
    const signed = [...rest.slice(0, 5), ...special, ...rest.slice(5)];
    const keys = batches.recover(signed);
    expect(keys.filter((key) => key === "unclear").length).toBe(4);
    expect(keys.slice(5, 9)).toEqual(Array(4).fill("unclear"));
    compare(signed);
    expect(recoverPublicKeys(signed)[6]).toBeUndefined();
    expect(shown(recoverPublicKeys(signed)[5])).toBe(bytesToHex(native.publicKey(word(10n)).subarray(1)));
  });

  it("is correct for u2 from -40 to 40, whose half scalars meet multiples of R in the last window", () => {
    const signed: SignedHash[] = [];
    for (let u2 = -40n; u2 <= 40n; u2++) {
      if (u2 === 0n) continue;
      for (const factor of [1n, LAMBDA]) signed.push(signatureOf(2n ** 200n + 9n, 12_345n, u2 * factor));
    }
    compare(signed);
  });

  it("replaces the portable library for single signatures", () => {
    const library = recoveringInBatches(portable);
    const signed = [
      signatureOf(1n, 5n, 5n),
      signatureOf(1n, 5n, -5n),
      ...fc.sample(fc.oneof(honest, odd), 30),
    ];
    expect(signed.map((each) => alone(library, each))).toEqual(signed.map((each) => alone(native, each)));
  });

  it("accepts no key off the curve: an arithmetic fault leaves everything to the library", () => {
    const x = pointedAt(0);
    const write = (f: LaneWriter): void => {
      addTo(f);
      f.sum(x, [1, x], [1, fixed(ONE)]);
    };
    const faulty = new BatchRecovery(recoveryModule({ ...FUNCTIONS, addTo: { parameters: 2, write } }));
    const signed = fc.sample(honest, { numRuns: 40, seed: 3 });
    expect(faulty.recover(signed)).toEqual(signed.map(() => "unclear"));
    expect(batches.recover(signed)).not.toContain("unclear");
  });

  it("keeps no state between batches", () => {
    const [first, second] = [fc.sample(honest, MAX_SIGNATURES), fc.sample(honest, 21)];
    compare(first);
    compare(second);
    compare(second.slice(0, 17));
  });
});

describe("half scalars", () => {
  it("are odd, short, and recombine to the scalar", () => {
    const values = fc.oneof(edge, bytes32.map(bytesToBigint)).map(modulo);
    fc.assert(
      fc.property(values, (k) => {
        const [k1, k2] = splitScalar(k);
        expect(modulo(k1 + k2 * LAMBDA)).toBe(k);
        for (const half of [k1, k2]) {
          expect(half & 1n).toBe(1n);
          expect(half < 2n ** 130n && half > -(2n ** 130n)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
