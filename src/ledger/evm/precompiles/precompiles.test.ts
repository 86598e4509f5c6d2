import { createHash, createPrivateKey, generateKeyPairSync, sign as signWithOpenSsl } from "node:crypto";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { blake2b } from "@noble/hashes/blake2.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf, sign } from "../../../protocol/crypto/secp256k1.ts";
import { FORKS, type Fork, type Rules } from "../../../protocol/params/forks.ts";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  EMPTY_BYTES,
  leftPad,
} from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { isReservedAddress, precompiles, warmPrecompiles } from "./index.ts";

function rulesAt(newest?: Fork): Rules {
  const level = newest === undefined ? 0 : FORKS.indexOf(newest) + 1;
  const active = Object.fromEntries(FORKS.map((fork, i) => [fork, i < level]));
  return { chainId: 1n, level, ...active } as unknown as Rules;
}

const ALICE_KEY = new Uint8Array(32).fill(7);
const ALICE = addressOfPublicKey(publicKeyOf(ALICE_KEY));
const checkDeadline = () => undefined;
const noAccounts = { account: () => undefined } as unknown as StateJournal;

function at(number: number, fork?: Fork, callerVmVersion = 1) {
  return precompiles(bigintToFixedBytes(BigInt(number), 20), rulesAt(fork), callerVmVersion);
}

function run(number: number, input: Uint8Array, fork: Fork = "osaka"): Uint8Array | undefined {
  const context = { rules: rulesAt(fork), feePayer: ALICE, state: noAccounts, checkDeadline };
  const output = at(number, fork)?.run(input, context);
  return output instanceof Uint8Array ? output : undefined;
}

/** Why a call fails. */
function failure(number: number, input: Uint8Array, fork: Fork = "osaka"): string | undefined {
  const output = at(number, fork)?.run(input, {
    rules: rulesAt(fork),
    feePayer: ALICE,
    state: noAccounts,
    checkDeadline,
  });
  return output === undefined || output instanceof Uint8Array ? undefined : output.text;
}

function word(value: bigint): Uint8Array {
  return bigintToFixedBytes(value, 32);
}

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

describe("hashes", () => {
  it("computes SHA-256 and RIPEMD-160", () => {
    const abc = new TextEncoder().encode("abc");
    expect(bytesToHex(run(2, abc) as Uint8Array)).toBe(
      "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(bytesToHex(run(3, abc) as Uint8Array)).toBe(
      "0x0000000000000000000000008eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
    );
  });

  it("compresses one block to the BLAKE2b hash of a short message", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128, minLength: 1 }), (message) => {
        const block = new Uint8Array(128);
        block.set(message);
        const counter = new Uint8Array(16);
        counter[0] = message.length;
        const input = concat(Uint8Array.of(0, 0, 0, 12), BLAKE2B_512_START, block, counter, Uint8Array.of(1));
        expect(run(9, input)).toEqual(blake2b(message, { dkLen: 64 }));
      }),
    );
  });

  it.each([0, 1, 9, 10, 11, 10_000, 10_001, 20_013])(
    "runs %i rounds as another implementation does",
    async (rounds) => {
      const input = Uint8Array.from({ length: 213 }, (_, i) => (i * 37) & 0xff);
      new DataView(input.buffer).setUint32(0, rounds);
      input[212] = rounds & 1;
      const common = new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul });
      const evm = await createEVM({ common });
      const theirs = evm.precompiles.get(`${"0".repeat(39)}9`);
      const options = { data: input, gasLimit: 100_000n, common, _EVM: evm };
      expect(run(9, input)).toEqual((await theirs?.(options))?.returnValue);
    },
  );

  it("rejects other lengths and flags, at a gas cost of 0", () => {
    const input = new Uint8Array(213);
    input[212] = 2;
    expect(run(9, input)).toBeUndefined();
    expect(run(9, input.subarray(1))).toBeUndefined();
    expect(at(9, "osaka")?.gas(input.subarray(1), rulesAt("osaka"))).toBe(0n);
  });
});

/** The initial state of BLAKE2b with a 64-byte hash and no key. @see EIP-152, test vectors */
const BLAKE2B_512_START = hexToBytes(
  "0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
    "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b",
);

describe("modexp", () => {
  const encode = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array) =>
    concat(...[base, exponent, modulus].map((part) => word(BigInt(part.length))), base, exponent, modulus);

  it("agrees with repeated multiplication", () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, fc.uint8Array({ maxLength: 2 }), bytes, (base, exponent, modulus) => {
        const m = bytesToBigint(modulus);
        let expected = m === 0n ? 0n : 1n % m;
        for (let i = 0n; m !== 0n && i < bytesToBigint(exponent); i++)
          expected = (expected * bytesToBigint(base)) % m;
        expect(run(5, encode(base, exponent, modulus))).toEqual(bigintToFixedBytes(expected, modulus.length));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ["istanbul", 13_056n],
    ["kore", 1360n],
    ["osaka", 4080n],
  ] as const)("charges for the Fermat test of EIP-198 at %s", (fork, gas) => {
    const p = 2n ** 256n - 2n ** 32n - 977n;
    const input = encode(Uint8Array.of(3), word(p - 1n), word(p));
    expect(at(5, fork)?.gas(input, rulesAt(fork))).toBe(gas);
    expect(at(5, fork)?.computation(input, rulesAt(fork))).toBe(gas / 100n + 100n);
    expect(run(5, input, fork)).toEqual(word(1n));
  });

  it("accepts at most 1024 bytes from osaka on, and caps the gas of absurd lengths", () => {
    const long = encode(new Uint8Array(1025), EMPTY_BYTES, Uint8Array.of(1));
    expect(run(5, long, "prague")).toEqual(Uint8Array.of(0));
    expect(run(5, long, "osaka")).toBeUndefined();
    const endless = concat(word(2n ** 255n), word(1n), word(1n));
    expect(at(5, "kore")?.gas(endless, rulesAt("kore"))).toBe(2n ** 64n - 1n);
  });
});

describe("BN254", () => {
  const { G1, G2 } = bn254;
  const g1 = (k: bigint) => {
    const { x, y } = G1.Point.BASE.multiply(k).toAffine();
    return concat(word(x), word(y));
  };
  const g2 = (k: bigint) => {
    const { x, y } = G2.Point.BASE.multiply(k).toAffine();
    return concat(...[x.c1, x.c0, y.c1, y.c0].map(word));
  };
  const order = G1.Point.Fn.ORDER;

  it("adds and multiplies, padding input with zeros and reducing scalars", () => {
    expect(run(6, concat(g1(2n), g1(3n)))).toEqual(g1(5n));
    expect(run(6, g1(2n))).toEqual(g1(2n));
    expect(run(6, concat(g1(2n), g1(order - 2n)))).toEqual(new Uint8Array(64));
    expect(run(7, concat(g1(2n), word(order + 3n)))).toEqual(g1(6n));
    expect(run(7, EMPTY_BYTES)).toEqual(new Uint8Array(64));
  });

  it("checks pairings", () => {
    const input = concat(g1(6n), g2(5n), g1(order - 15n), g2(2n));
    expect(run(8, input)).toEqual(word(1n));
    expect(run(8, input.subarray(0, 192))).toEqual(word(0n));
    expect(run(8, EMPTY_BYTES)).toEqual(word(1n));
    expect(run(8, new Uint8Array(192))).toEqual(word(1n));
  });

  it("fails for points off the curve, coordinates beyond the field and truncated input", () => {
    const p = G1.Point.Fp.ORDER;
    expect(run(6, concat(word(1n), word(1n)))).toBeUndefined();
    expect(run(6, concat(word(p + 1n), word(2n)))).toBeUndefined();
    expect(run(8, new Uint8Array(191))).toBeUndefined();
    expect(run(8, concat(g1(1n), new Uint8Array(127), Uint8Array.of(1)))).toBeUndefined();
  });
});

describe("BLS12-381", () => {
  const { G1, G2, fields } = bls12_381;
  const field = (value: bigint) => bigintToFixedBytes(value, 64);
  const g1 = (k: bigint) => {
    const { x, y } = G1.Point.BASE.multiply(k).toAffine();
    return concat(field(x), field(y));
  };
  const g2 = (k: bigint) => {
    const { x, y } = G2.Point.BASE.multiply(k).toAffine();
    return concat(...[x.c0, x.c1, y.c0, y.c1].map(field));
  };
  const order = fields.Fr.ORDER;

  it("adds in both groups", () => {
    expect(run(0x0b, concat(g1(2n), g1(3n)))).toEqual(g1(5n));
    expect(run(0x0d, concat(g2(2n), g2(order - 2n)))).toEqual(new Uint8Array(256));
  });

  it("computes multi-scalar multiplications, with a discount for many terms", () => {
    const many = concat(g1(2n), word(5n), g1(3n), word(order + 7n), new Uint8Array(160));
    expect(run(0x0c, many)).toEqual(g1(31n));
    expect(at(0x0c, "prague")?.gas(many, rulesAt("prague"))).toBe((3n * 12_000n * 848n) / 1000n);
    expect(run(0x0e, concat(g2(2n), word(5n)))).toEqual(g2(10n));
  });

  it("checks pairings", () => {
    const input = concat(g1(6n), g2(5n), g1(order - 15n), g2(2n));
    expect(run(0x0f, input)).toEqual(word(1n));
    expect(run(0x0f, input.subarray(0, 384))).toEqual(word(0n));
    expect(run(0x0f, EMPTY_BYTES)).toBeUndefined();
  });

  it("maps field elements into the groups", () => {
    const inG1 = run(0x10, field(42n)) as Uint8Array;
    expect(run(0x0c, concat(inG1, word(order)))).toEqual(new Uint8Array(128));
    expect(run(0x11, concat(field(1n), field(fields.Fp.ORDER)))).toBeUndefined();
    expect(run(0x11, concat(field(1n), field(2n)))).toHaveLength(256);
  });

  it("adds points outside the subgroup, but multiplies only those inside", () => {
    const { Fp } = fields;
    let x = 1n;
    while (!isOutside(x)) x++;
    const point = concat(field(x), field(Fp.sqrt(x ** 3n + 4n)));
    expect(run(0x0b, concat(point, new Uint8Array(128)))).toEqual(point);
    expect(run(0x0c, concat(point, word(1n)))).toBeUndefined();

    function isOutside(candidate: bigint): boolean {
      const right = Fp.create(candidate ** 3n + 4n);
      if (Fp.pow(right, (Fp.ORDER - 1n) / 2n) !== 1n) return false;
      return !G1.Point.fromAffine({ x: candidate, y: Fp.sqrt(right) }).isTorsionFree();
    }
  });
});

describe("KZG point evaluation", () => {
  // A constant polynomial has its value everywhere, and the point at infinity proves it.
  const { Point } = bls12_381.G1;
  const commitment = Point.BASE.multiply(9n).toBytes();
  const proof = concat(Uint8Array.of(0xc0), new Uint8Array(47));

  it("accepts only the value of a constant polynomial", () => {
    const hash = run(2, commitment) as Uint8Array;
    hash[0] = 1;
    const input = (value: bigint) => concat(hash, word(5n), word(value), commitment, proof);
    expect(bytesToBigint((run(0x0a, input(9n)) as Uint8Array).subarray(0, 32))).toBe(4096n);
    expect(run(0x0a, input(8n))).toBeUndefined();
    expect(run(0x0a, input(9n).subarray(1))).toBeUndefined();
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
