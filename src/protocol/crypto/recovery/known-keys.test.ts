import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../primitives/bytes.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { CURVE_ORDER } from "../curve.ts";
import { loadBackend } from "../secp256k1-backend.ts";
import { BatchRecovery } from "./batch-recovery.ts";
import { gatherKnown } from "./groups.ts";
import { MAX_TABLES } from "./key-tables.ts";
import type { KnownKeys } from "./known-keys.ts";
import { fixed, type LaneWriter, pointedAt } from "./lane-writer.ts";
import { COMB_POINTS, ONE } from "./layout.ts";
import { FUNCTIONS, recoveryModule } from "./module.ts";
import { recoverPublicKeys } from "./recover-public-keys.ts";
import { invertAll, splitScalar } from "./scalars.ts";
import type { SignedHash } from "./signed-hash.ts";

const native = loadBackend();
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;
const word = (value: bigint) => bigintToFixedBytes(value, 32);
const modulo = (value: bigint) => ((value % CURVE_ORDER) + CURVE_ORDER) % CURVE_ORDER;
const secret = (i: number) => word(0x123456789abcdefn ** BigInt(i + 4) % CURVE_ORDER);
const keyOf = (i: number) => native.publicKey(secret(i)).subarray(1);
const nameOf = (i: number) => Uint8Array.of(i, i >> 8, 1);
const hashOf = (i: number) => word(BigInt(i) ** 61n % CURVE_ORDER);

/** A signature by the key of one signer, said to be by another. */
function signed(by: number, hash: number, saidBy = by): SignedHash {
  const signature = native.sign(hashOf(hash + 1), secret(by));
  return {
    hash: hashOf(hash + 1),
    rs: signature.slice(0, 64),
    recid: signature[64] as number,
    by: nameOf(saidBy),
  };
}

/** Notes a key of a signer, by default its own, as if it had been recovered. */
function noteOften(known: KnownKeys, by: number, times: number, key = by): void {
  const found = keyOf(key);
  for (let i = 0; i < times; i++) known.note({ by: nameOf(by) }, found);
}

/** Batches that know the keys of the first signers. */
function knowing(signers: number, batches = new BatchRecovery()): BatchRecovery {
  for (let i = 0; i < signers; i++) noteOften(batches.known, i, 32);
  return batches;
}

function shown(keys: readonly (Uint8Array | undefined)[]): string[] {
  return keys.map((key) => (key === undefined ? "none" : bytesToHex(key)));
}

function alone({ hash, rs, recid }: SignedHash): string {
  try {
    return bytesToHex(native.recover(hash, rs, recid).subarray(1));
  } catch {
    return "none";
  }
}

describe("known keys", () => {
  it("are found for the signatures of their signers, in groups that are not full too", () => {
    const { known } = knowing(21);
    for (const count of [8, 9, 150, 255]) {
      const list = Array.from({ length: count }, (_, i) => signed(i % 21, i));
      expect(shown(known.find(list))).toEqual(list.map(alone));
    }
    const ofOne = Array.from({ length: 8 }, (_, i) => signed(0, i));
    expect(shown(knowing(1).known.find(ofOne))).toEqual(ofOne.map(alone));
  });

  it("are not tried for fewer than eight signatures, or of nobody", () => {
    const { known } = knowing(4);
    const few = Array.from({ length: 7 }, (_, i) => signed(i % 4, i));
    expect(known.find(few)).toEqual(few.map(() => undefined));
    const anonymous = Array.from({ length: 9 }, (_, i) => ({ ...signed(i % 4, i), by: undefined }));
    expect(known.find(anonymous)).toEqual(anonymous.map(() => undefined));
  });

  it("fit no signature of another key, parity, hash or number", () => {
    const { known } = knowing(8);
    const right = Array.from({ length: 16 }, (_, i) => signed(i % 8, i));
    const wrong = [
      signed(9, 1, 2),
      signed(3, 1, 2),
      { ...signed(2, 1), recid: 1 - signed(2, 1).recid },
      { ...signed(2, 1), recid: signed(2, 1).recid + 2 },
      { ...signed(2, 1), hash: hashOf(77) },
      { ...signed(2, 1), hash: word(0n) },
      { ...signed(2, 1), hash: word(CURVE_ORDER) },
      { ...signed(2, 1), rs: concat(word(0n), word(1n)) },
      { ...signed(2, 1), rs: concat(word(1n), word(CURVE_ORDER)) },
    ];
    const found = known.find([...right.slice(0, 5), ...wrong, ...right.slice(5)]);
    expect(found.slice(5, 5 + wrong.length)).toEqual(wrong.map(() => undefined));
    expect(shown([...found.slice(0, 5), ...found.slice(5 + wrong.length)])).toEqual(right.map(alone));
  });

  it("change nothing in what is recovered", () => {
    const signers = 12;
    for (let round = 0; round < 12; round++) {
      const list = Array.from({ length: 60 }, (_, i) => {
        const by = (i * 7 + round) % signers;
        if (i % 13 === 5) return signed(by + 20, i, by);
        if (i % 17 === 3) return { ...signed(by, i), rs: concat(hashOf(i), hashOf(i + 1)) };
        return signed(by, 100 * round + i);
      });
      expect(shown(recoverPublicKeys(list))).toEqual(list.map(alone));
    }
  });

  it("are found after eight signatures, four signers together, and forgotten with another key", () => {
    const { known } = new BatchRecovery();
    const list = Array.from({ length: 8 }, (_, i) => signed(i % 4, i));
    const found = () => known.find(list).filter((key) => key !== undefined).length;
    for (const by of [0, 1, 2]) noteOften(known, by, 8);
    noteOften(known, 3, 7);
    expect(found()).toBe(0);
    noteOften(known, 3, 1);
    expect(found()).toBe(8);
    noteOften(known, 2, 1, 9);
    expect(found()).toBe(0); // six are too few
    noteOften(known, 2, 31);
    expect(found()).toBe(0);
    noteOften(known, 2, 1);
    expect(found()).toBe(8);
  });

  it("give up their table to others that sign more, the least recently used first", () => {
    const { known } = knowing(MAX_TABLES);
    const list = (first: number) => Array.from({ length: 8 }, (_, i) => signed(first + i, i));
    const isFound = (first: number) => known.find(list(first)).every((key) => key !== undefined);
    expect([isFound(MAX_TABLES - 8), isFound(0)]).toEqual([true, true]);
    for (let by = 1_000; by < 1_008; by++) noteOften(known, by, 32);
    expect([isFound(1_000), isFound(0), isFound(MAX_TABLES - 8)]).toEqual([true, true, true]);
    expect(known.find(list(8))).not.toContainEqual(expect.anything());
    const rest = Array.from({ length: 8 }, (_, i) => signed(16 + i, i));
    expect(shown(known.find(rest))).toEqual(rest.map(alone));
  });

  it("are left to recovery where the signer made two points of a sum equal or opposite", () => {
    const { known } = knowing(8);
    const list = Array.from({ length: 32 }, (_, i) => signed(i % 8, i));
    for (const sign of [1n, -1n]) {
      const crafted = colliding(5, sign);
      expect(alone(crafted)).toBe(bytesToHex(keyOf(5)));
      const all = [...list.slice(0, 9), crafted, ...list.slice(9)];
      const found = known.find(all);
      // The lane of the crafted signature: every fourth from the second on.
      expect(shown(found)).toEqual(all.map((each, i) => (i % 4 === 1 ? "none" : alone(each))));
      expect(shown(recoverPublicKeys(all))).toEqual(all.map(alone));
    }
  });

  it("are found by no faulty sum", () => {
    const write = (f: LaneWriter): void => {
      gatherKnown(f);
      const x = pointedAt(0, COMB_POINTS);
      f.sum(x, [1, x], [1, fixed(ONE)]);
    };
    const module = recoveryModule({ ...FUNCTIONS, gatherKnown: { parameters: 1, write } });
    const { known } = knowing(8, new BatchRecovery(module));
    const list = Array.from({ length: 32 }, (_, i) => signed(i % 8, i));
    expect(known.find(list)).toEqual(list.map(() => undefined));
  });
});

/** A signature for which the sum of the base point's windows is that of the key's first 16 windows, or its opposite. */
function colliding(by: number, sign: bigint): SignedHash {
  const u2 = bytesToBigint(hashOf(4_321));
  const [low, high] = splitScalar(u2).map((half) => {
    const digits = half + 2n ** 130n - 1n;
    return Array.from({ length: 16 }, (_, i) => i).reduce((sum, window) => {
      const digit = (digits >> BigInt(1 + 5 * window)) & 31n;
      return sum + (2n * digit + 1n - 32n) * 32n ** BigInt(window);
    }, 0n);
  }) as [bigint, bigint];
  const d = bytesToBigint(secret(by));
  const u1 = modulo(sign * d * (low + high * LAMBDA));
  const point = native.publicKey(word(modulo(u1 + u2 * d)));
  const r = bytesToBigint(point.slice(1, 33));
  const s = modulo(r * (invertAll([u2])[0] as bigint));
  return {
    hash: word(modulo(u1 * s)),
    rs: concat(word(r), word(s)),
    recid: (point[64] as number) & 1,
    by: nameOf(by),
  };
}
