import * as noble from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, concat } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { CURVE_ORDER } from "./curve.ts";
import {
  addressOfPrivateKey,
  addressOfPublicKey,
  compressPublicKey,
  decompressPublicKey,
  isPrivateKey,
  isPublicKey,
  publicKeyOf,
  recoverPublicKey,
  sharedSecret,
  sign,
  verify,
  withAddress,
} from "./secp256k1.ts";
import { loadBackend } from "./secp256k1-backend.ts";
import { nobleBackend } from "./secp256k1-noble.ts";

const native = loadBackend();
const portable = nobleBackend(noble);
const word = (value: bigint) => bigintToFixedBytes(value, 32);
const edges = [
  0n,
  1n,
  2n,
  CURVE_ORDER / 2n,
  CURVE_ORDER / 2n + 1n,
  CURVE_ORDER - 1n,
  CURVE_ORDER,
  2n ** 256n - 1n,
];
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const scalar = fc.oneof(fc.constantFrom(...edges.map(word)), bytes32);
const privateKey = bytes32.filter(isPrivateKey);

/** What a call returns, or that it throws: the texts of the libraries differ. */
function outcome(call: () => Uint8Array | boolean): string {
  try {
    const value = call();
    return typeof value === "boolean" ? String(value) : bytesToHex(value);
  } catch {
    return "throws";
  }
}

describe("secp256k1", () => {
  it("uses the native library in Node", () => {
    expect(native.name).toBe("native");
  });

  it("signs identically with both backends, and recovers the signer", () => {
    fc.assert(
      fc.property(bytes32, privateKey, (hash, key) => {
        const signed = native.sign(hash, key);
        expect(portable.sign(hash, key)).toEqual(signed);
        const signature = signed.subarray(0, 64);
        expect(recoverPublicKey(hash, signature, signed[64] as number)).toEqual(publicKeyOf(key));
        expect(verify(hash, signature, publicKeyOf(key))).toBe(true);
        expect(verify(hash, signature, compressPublicKey(publicKeyOf(key)))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it("agrees on every signature, including invalid ones", () => {
    fc.assert(
      fc.property(bytes32, scalar, scalar, fc.constantFrom(0, 1), (hash, r, s, parity) => {
        const rs = concat(r, s);
        expect(outcome(() => native.recover(hash, rs, parity))).toBe(
          outcome(() => portable.recover(hash, rs, parity)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("recovers from a signature with high s, but does not verify it", () => {
    const [hash, key] = [word(5n), word(7n)];
    const { r, s, parity } = sign(hash, key);
    const high = concat(word(r), word(CURVE_ORDER - s));
    expect(recoverPublicKey(hash, high, 1 - parity)).toEqual(publicKeyOf(key));
    for (const library of [native, portable]) {
      expect(library.verify(hash, high, library.publicKey(key))).toBe(false);
    }
  });

  it("agrees on which points and private keys are valid", () => {
    const prefixed = fc
      .tuple(fc.constantFrom(2, 3), scalar)
      .map(([prefix, x]) => concat(Uint8Array.of(prefix), x));
    fc.assert(
      fc.property(prefixed, scalar, (point, key) => {
        expect(isPublicKey(point)).toBe(portable.isPublicKey(point));
        expect(isPrivateKey(key)).toBe(portable.isPrivateKey(key));
        expect(outcome(() => native.publicKey(key))).toBe(outcome(() => portable.publicKey(key)));
        expect(outcome(() => native.decompress(point))).toBe(outcome(() => portable.decompress(point)));
        expect(outcome(() => native.sharedSecret(key, point))).toBe(
          outcome(() => portable.sharedSecret(key, point)),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("rejects hybrid points and the point at infinity", () => {
    const point = publicKeyOf(word(1n));
    const hybrid = concat(Uint8Array.of(6 + ((point[63] as number) & 1)), point);
    expect(isPublicKey(hybrid)).toBe(false);
    expect(isPublicKey(Uint8Array.of(0))).toBe(false);
    expect(isPublicKey(concat(Uint8Array.of(4), point))).toBe(true);
  });

  it("compresses and decompresses", () => {
    fc.assert(
      fc.property(privateKey, (key) => {
        const publicKey = publicKeyOf(key);
        expect(decompressPublicKey(compressPublicKey(publicKey))).toEqual(publicKey);
      }),
      { numRuns: 20 },
    );
  });

  it("derives the same shared secret for both parties", () => {
    const [alice, bob] = [word(11n), word(13n)];
    expect(sharedSecret(alice, publicKeyOf(bob))).toEqual(sharedSecret(bob, publicKeyOf(alice)));
  });

  it("derives the well-known address of the first development key", () => {
    const key = hexToBytes("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
    const address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    expect(bytesToHex(addressOfPublicKey(publicKeyOf(key)))).toBe(address);
    expect(bytesToHex(addressOfPrivateKey(key))).toBe(address);
    expect(addressOfPrivateKey(key)).toBe(addressOfPrivateKey(key));
  });

  it("takes the address of a key as known from whoever knows it", () => {
    const [key, address] = [word(12n), new Uint8Array(20)];
    expect(addressOfPrivateKey(withAddress(key, address))).toBe(address);
    expect(() => addressOfPrivateKey(word(0n))).toThrow();
  });
});
