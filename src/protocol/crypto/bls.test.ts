import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import {
  type Bls,
  blsSecretKey,
  loadBls,
  loadPortableBls,
  rememberingProofs,
  type SignedMessage,
} from "./bls.ts";
import { createMclBls } from "./bls-mcl.ts";

const file = new URL("../../../test/fixtures/vectors/net/randao.json", import.meta.url);
const vector: {
  nodeKey: string;
  blsSecretKey: string;
  blsPublicKey: string;
  proofOfPossession: string;
  rows: { number: number; randomReveal: string }[];
} = JSON.parse(readFileSync(file, "utf8"));

describe("several signatures at once", async () => {
  const bls = await loadBls();
  const secrets = [1, 2].map((i) => blsSecretKey(new Uint8Array(32).fill(i))) as [Uint8Array, Uint8Array];
  const messages = [3, 4].map((i) => new Uint8Array(32).fill(i)) as [Uint8Array, Uint8Array];
  const signed = secrets.map((secret, i) => {
    const message = messages[i] as Uint8Array;
    return { message, signature: bls.sign(message, secret), publicKey: bls.publicKey(secret) };
  }) as [SignedMessage, SignedMessage];
  const verifyAll = (all: readonly SignedMessage[]) => bls.verifyAll?.(all);

  it("are valid if each is", () => {
    expect(verifyAll(signed)).toBe(true);
    expect(verifyAll([signed[0], { ...signed[1], message: messages[0] }])).toBe(false);
    expect(verifyAll([signed[0], { ...signed[1], publicKey: signed[0].publicKey }])).toBe(false);
    expect(verifyAll([signed[0], { ...signed[1], signature: new Uint8Array(96) }])).toBe(false);
    expect(verifyAll([signed[0], { ...signed[1], publicKey: new Uint8Array(48) }])).toBe(false);
  });

  it("are invalid if two invalid ones have the sum of valid ones", async () => {
    const { bls12_381 } = await import("@noble/curves/bls12-381.js");
    const point = (bytes: Uint8Array) => bls12_381.longSignatures.Signature.fromBytes(bytes);
    const shift = point(bls.sign(messages[0], secrets[1]));
    const shifted = [point(signed[0].signature).add(shift), point(signed[1].signature).subtract(shift)];
    expect(
      verifyAll(signed.map((one, i) => ({ ...one, signature: shifted[i]?.toBytes() as Uint8Array }))),
    ).toBe(false);
  });
});

describe.each([
  ["native", loadBls],
  ["WebAssembly", async () => createMclBls()],
  ["portable", loadPortableBls],
])("bls, %s", async (_name, load) => {
  const bls = await load();
  const secretKey = hexToBytes(vector.blsSecretKey);
  const publicKey = hexToBytes(vector.blsPublicKey);
  const message = (number: number) => bigintToFixedBytes(BigInt(number), 32);

  it("derives the reference node's key from its node key", () => {
    expect(bytesToHex(blsSecretKey(hexToBytes(vector.nodeKey)))).toBe(vector.blsSecretKey);
    expect(bytesToHex(bls.publicKey(secretKey))).toBe(vector.blsPublicKey);
  });

  it.each(vector.rows)(
    "signs and verifies the random reveal of block $number",
    ({ number, randomReveal }) => {
      expect(bytesToHex(bls.sign(message(number), secretKey))).toBe(randomReveal);
      expect(bls.verify(hexToBytes(randomReveal), message(number), publicKey)).toBe(true);
      expect(bls.verify(hexToBytes(randomReveal), message(number + 1), publicKey)).toBe(false);
    },
  );

  it("proves possession of the key under a separate domain tag", () => {
    expect(bytesToHex(bls.provePossession(secretKey))).toBe(vector.proofOfPossession);
    expect(bls.verifyPossession(hexToBytes(vector.proofOfPossession), publicKey)).toBe(true);
    expect(bls.verify(hexToBytes(vector.proofOfPossession), publicKey, publicKey)).toBe(false);
  });

  it("does not modify Buffers, whose slices share memory", () => {
    const [proof, key] = [Buffer.from(vector.proofOfPossession.slice(2), "hex"), Buffer.from(publicKey)];
    expect([1, 2].map(() => bls.verifyPossession(proof, key))).toEqual([true, true]);
    expect(bytesToHex(proof)).toBe(vector.proofOfPossession);
  });

  it("treats malformed input and the point at infinity as invalid", () => {
    const infinity = Uint8Array.from({ length: 96 }, (_, i) => (i === 0 ? 0xc0 : 0));
    expect(bls.verify(new Uint8Array(96), message(1), publicKey)).toBe(false);
    expect(bls.verify(new Uint8Array(5), message(1), publicKey)).toBe(false);
    expect(bls.verify(infinity, message(1), infinity.subarray(0, 48))).toBe(false);
  });
});

describe("cached proofs of possession", () => {
  const proof = hexToBytes(vector.proofOfPossession);
  const publicKey = hexToBytes(vector.blsPublicKey);
  const counted = () => {
    const asked: string[] = [];
    const bls = {
      verifyPossession: (proof: Uint8Array) => asked.push(bytesToHex(proof)) > 0 && (proof[95] as number) > 7,
    };
    return { asked, bls: rememberingProofs(bls as unknown as Bls) };
  };

  it("are checked once, valid or not", () => {
    const { asked, bls } = counted();
    const [right, wrong] = [8, 7].map((last) =>
      Uint8Array.from({ length: 96 }, (_, i) => (i === 95 ? last : 1)),
    );
    for (let i = 0; i < 3; i++) {
      expect(bls.verifyPossession(right as Uint8Array, publicKey)).toBe(true);
      expect(bls.verifyPossession(wrong as Uint8Array, publicKey)).toBe(false);
    }
    expect(asked).toHaveLength(2);
  });

  it("are valid only for the key they were checked with", () => {
    const { asked, bls } = counted();
    bls.verifyPossession(proof, publicKey);
    bls.verifyPossession(proof, publicKey.toReversed());
    expect(asked).toHaveLength(2);
  });

  it("have the right size, whatever a contract lists", () => {
    const { asked, bls } = counted();
    expect(bls.verifyPossession(new Uint8Array(144).fill(9), new Uint8Array(0))).toBe(false);
    expect(bls.verifyPossession(new Uint8Array(95).fill(9), new Uint8Array(49).fill(9))).toBe(false);
    expect(asked).toEqual([]);
  });
});
