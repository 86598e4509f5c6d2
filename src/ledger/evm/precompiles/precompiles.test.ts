import { createHash, createPrivateKey, generateKeyPairSync, sign as signWithOpenSsl } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { FORKS, type Fork } from "../../../protocol/params/forks.ts";
import { bigintToFixedBytes, concat, EMPTY_BYTES, leftPad } from "../../../protocol/primitives/bytes.ts";
import { rulesAt, word } from "../testing/run-code.ts";
import { isReservedAddress, warmPrecompiles } from "./index.ts";
import { ALICE, ALICE_KEY, at, failure, run } from "./testing/call.ts";

describe("the error of a failed call", () => {
  const high = new Uint8Array(32).fill(0xff);
  const blsField = (value: bigint) => bigintToFixedBytes(value, 64);
  const nowhere = concat(blsField(1n), blsField(1n));
  /** On y² = x³ + 4, but of order 3. */
  const outside = concat(blsField(0n), blsField(2n));
  const proofFor = (commitment: Uint8Array, z = word(1n), y = word(0n), proof = commitment) => {
    const hash = Uint8Array.from(createHash("sha256").update(commitment).digest());
    hash[0] = 1;
    return concat(hash, z, y, commitment, proof);
  };
  const point = (first: number, rest = 0) => Uint8Array.of(first, ...new Array(46).fill(0), rest);
  const KZG = "error verifying kzg proof: ";

  it.each([
    [0x06, concat(word(1n), word(1n)), "point is not on curve"],
    [0x06, concat(high, word(1n)), "invalid fp.Element encoding"],
    [0x08, word(1n), "bad elliptic curve pairing size"],
    [0x08, concat(new Uint8Array(64), word(1n), new Uint8Array(96)), "point is not on curve"],
    [0x09, word(1n), "invalid input length"],
    [0x09, new Uint8Array(213).fill(2), "invalid final flag"],
    [0x05, high, "one or more of base/exponent/modulus length exceeded 1024 bytes"],
    [0x0b, word(1n), "invalid input length"],
    [0x0b, concat(nowhere, nowhere), "invalid point: not on curve"],
    [0x0c, concat(new Uint8Array(128).fill(1), word(1n)), "invalid field element top bytes"],
    [0x0c, concat(outside, word(1n)), "g1 point is not on correct subgroup"],
    [0x0f, concat(outside, new Uint8Array(256)), "g1 point is not on correct subgroup"],
    [0x10, concat(new Uint8Array(16), new Uint8Array(48).fill(0xff)), "invalid fp.Element encoding"],
    [0x0a, word(1n), "invalid input length"],
    [0x0a, new Uint8Array(192), "mismatched versioned hash"],
    [0x0a, proofFor(point(0xc0), word(1n), word(1n)), `${KZG}can't verify opening proof`],
    [
      0x0a,
      proofFor(point(0xc0), high),
      `${KZG}scalar is not canonical when interpreted as a big integer in big-endian`,
    ],
    [0x0a, proofFor(point(0xe0)), `${KZG}invalid point encoding`],
    [0x0a, proofFor(point(0x00)), `${KZG}short buffer`],
    [0x0a, proofFor(point(0xc0, 1)), `${KZG}invalid infinity point encoding`],
    [0x0a, proofFor(point(0x80, 1)), `${KZG}invalid compressed coordinate: square root doesn't exist`],
    [0x0a, proofFor(point(0x80, 0)), `${KZG}invalid point: subgroup check failed`],
  ])("is the reference node's: %#", (number, input, text) => {
    expect(failure(number, input)).toBe(text);
  });
});

describe("the tables", () => {
  it("moves the Kaia precompiles at istanbul, except for older contracts", () => {
    expect(at(0x09)?.name).toBe("VMLOG");
    expect(at(0x09, "istanbul")?.name).toBe("BLAKE2F");
    expect(at(0x09, "osaka", 0)?.name).toBe("VMLOG");
    expect(at(0x0a, "istanbul")).toBeUndefined();
    expect(at(0x3fe, "istanbul")?.name).toBe("FEE_PAYER");
    expect(at(0x3fe, "osaka", 0)).toBeUndefined();
  });

  it("keeps the old prices for old contracts", () => {
    const input = new Uint8Array(192);
    const gas = (vmVersion: number) => at(0x08, "osaka", vmVersion)?.gas(input, rulesAt("osaka"));
    expect(gas(0)).toBe(180_000n);
    expect(gas(1)).toBe(79_000n);
  });

  it.each([
    [0x0a, "cancun"],
    [0x0b, "prague"],
    [0x11, "prague"],
    [0x100, "osaka"],
  ] as const)("includes %i from %s on", (number, fork) => {
    const before = FORKS[FORKS.indexOf(fork) - 1] as Fork;
    expect(at(number, before)).toBeUndefined();
    expect(at(number, fork)).toBeDefined();
  });

  it("reserves 0x1 to 0x3ff, and warms the active ones, and always 0x0a and 0x0b", () => {
    const reserved = [0n, 1n, 0x3ffn, 0x400n, 1n << 80n].map((n) =>
      isReservedAddress(bigintToFixedBytes(n, 20)),
    );
    expect(reserved).toEqual([false, true, true, false, false]);
    const warm = [...warmPrecompiles(rulesAt("kore"))];
    expect(warm).toContain(0x0b);
    expect(warm).not.toContain(0x100);
  });
});

describe("ecrecover", () => {
  const hash = new Uint8Array(32).fill(3);
  const { r, s, parity } = sign(hash, ALICE_KEY);

  it("returns the signer's address in 32 bytes", () => {
    const input = concat(hash, word(27n + BigInt(parity)), word(r), word(s));
    expect(run(1, input)).toEqual(leftPad(ALICE, 32));
  });

  it.each([0n, 26n, 29n, 27n + 256n])("returns nothing for v = %i", (v) => {
    expect(run(1, concat(hash, word(v), word(r), word(s)))).toEqual(EMPTY_BYTES);
  });
});

describe("validateSender", () => {
  const hash = new Uint8Array(32).fill(3);
  const { r, s, parity } = sign(hash, ALICE_KEY);
  const signature = concat(word(r), word(s), Uint8Array.of(parity));

  it("checks against a legacy key if there is no account", () => {
    expect(run(0x3ff, concat(ALICE, hash, signature))).toEqual(Uint8Array.of(1));
    expect(run(0x3ff, concat(new Uint8Array(20), hash, signature))).toEqual(Uint8Array.of(0));
  });

  it("returns 0 for inputs of a wrong length", () => {
    for (const input of [
      EMPTY_BYTES,
      ALICE,
      concat(ALICE, hash),
      concat(ALICE, hash, signature.subarray(1)),
    ]) {
      expect(run(0x3ff, input)).toEqual(Uint8Array.of(0));
    }
  });
});

describe("P256VERIFY", () => {
  it("accepts signatures by another implementation, and returns nothing for others", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const message = new TextEncoder().encode("kaia");
    const rs = signWithOpenSsl("sha256", message, {
      key: createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })),
      dsaEncoding: "ieee-p1363",
    });
    const { x, y } = privateKey.export({ format: "jwk" });
    const key = [x, y].map((part) => Uint8Array.from(Buffer.from(part as string, "base64url")));
    const input = concat(run(2, message) as Uint8Array, Uint8Array.from(rs), ...key);
    expect(run(0x100, input)).toEqual(word(1n));
    expect(run(0x100, input.subarray(0, 159))).toEqual(EMPTY_BYTES);
    input[0] = (input[0] as number) ^ 1;
    expect(run(0x100, input)).toEqual(EMPTY_BYTES);
  });
});

it("returns the fee payer without padding", () => {
  expect(run(0x3fe, EMPTY_BYTES)).toEqual(ALICE);
});
