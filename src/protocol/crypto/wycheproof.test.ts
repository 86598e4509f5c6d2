// Signatures of Project Wycheproof: extreme scalars, special hashes and keys, sums that meet the point at infinity, r and s out of range.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as noble from "@noble/curves/secp256k1.js";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint, concat } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { CURVE_ORDER } from "./curve.ts";
import { recoverPublicKeys } from "./recovery/recover-public-keys.ts";
import type { SignedHash } from "./recovery/signed-hash.ts";
import { verify } from "./secp256k1.ts";
import { loadBackend } from "./secp256k1-backend.ts";
import { nobleBackend } from "./secp256k1-noble.ts";

interface Vectors {
  readonly groups: readonly {
    readonly publicKey: string;
    readonly tests: readonly {
      readonly id: number;
      readonly message: string;
      readonly signature: string;
      readonly result: "valid" | "invalid";
    }[];
  }[];
}

const file = new URL("../../../test/fixtures/vectors/wycheproof-secp256k1.json", import.meta.url);
const { groups } = JSON.parse(readFileSync(file, "utf8")) as Vectors;
const bytesOf = (hex: string) => hexToBytes(`0x${hex}`);
const cases = groups.flatMap(({ publicKey, tests }) =>
  tests.map(({ id, message, signature, result }) => ({
    id,
    key: bytesToHex(bytesOf(publicKey).subarray(1)),
    hash: Uint8Array.from(createHash("sha256").update(bytesOf(message)).digest()),
    rs: bytesOf(signature),
    isValid: result === "valid",
  })),
);
const whole = cases.filter(({ rs }) => rs.length === 64);
/** Recovery bits: parity of R's y, and whether R's x is r + n. */
const RECIDS = [0, 1, 2, 3];

/** The same signature with s in the lower half of the order, which Wycheproof does not require. */
function withLowS(rs: Uint8Array): Uint8Array {
  const s = bytesToBigint(rs.subarray(32));
  const isHigh = s > CURVE_ORDER / 2n && s < CURVE_ORDER;
  return isHigh ? concat(rs.subarray(0, 32), bigintToFixedBytes(CURVE_ORDER - s, 32)) : rs;
}

/** Whether one of a signature's keys is the expected one. */
function judged(of: (signed: SignedHash) => Uint8Array | undefined) {
  return ({ hash, rs, key }: (typeof cases)[number]) =>
    RECIDS.some((recid) => {
      const found = of({ hash, rs, recid });
      return found !== undefined && bytesToHex(found) === key;
    });
}

function wrongly(accepts: (one: (typeof cases)[number]) => boolean, of = whole): number[] {
  return of.filter((one) => accepts(one) !== one.isValid).map(({ id }) => id);
}

describe("Wycheproof's signatures", () => {
  it("are many, of both kinds", () => {
    expect(whole.filter(({ isValid }) => isValid)).toHaveLength(167);
    expect(whole.filter(({ isValid }) => !isValid)).toHaveLength(67);
    expect(cases).toHaveLength(252);
  });

  it.each([loadBackend(), nobleBackend(noble)])(
    "are recovered and verified by $name as published",
    (library) => {
      const recover = ({ hash, rs, recid }: SignedHash) => {
        try {
          return library.recover(hash, rs, recid).subarray(1);
        } catch {
          return undefined;
        }
      };
      expect(wrongly(judged(recover))).toEqual([]);
      const verifies = ({ hash, rs, key }: (typeof cases)[number]) =>
        library.verify(hash, withLowS(rs), concat(Uint8Array.of(4), hexToBytes(key)));
      expect(wrongly(verifies)).toEqual([]);
    },
  );

  it("are recovered in batches as published", () => {
    const keys = recoverPublicKeys(
      whole.flatMap(({ hash, rs }) => RECIDS.map((recid) => ({ hash, rs, recid }))),
    );
    const found = whole.map((_, i) => keys.slice(4 * i, 4 * i + 4).map((key) => key && bytesToHex(key)));
    expect(
      wrongly(({ id, key }) => found[whole.findIndex((one) => one.id === id)]?.includes(key) === true),
    ).toEqual([]);
  });

  it("of other lengths are never valid", () => {
    expect(wrongly(({ hash, rs, key }) => verify(hash, withLowS(rs), hexToBytes(key)), cases)).toEqual([]);
  });
});
