import { describe, expect, it } from "vitest";
import { addressOfPublicKey, compressPublicKey, publicKeyOf } from "../crypto/secp256k1.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY, NIL_KEY, Role } from "./key.ts";
import { areTooManySignatures, validateSigners } from "./key-signatures.ts";

const istanbul = { istanbul: true };
const before = { istanbul: false };
const [a, b, c, stranger] = [1, 2, 3, 4].map((n) => publicKeyOf(new Uint8Array(32).fill(n))) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const address = addressOfPublicKey(a);
const multisig: AccountKey = {
  type: "weightedMultisig",
  threshold: 3n,
  keys: [
    { weight: 1n, publicKey: compressPublicKey(a) },
    { weight: 2n, publicKey: compressPublicKey(b) },
    { weight: 3n, publicKey: compressPublicKey(c) },
  ],
};
const publicKey = (point: Uint8Array): AccountKey => ({
  type: "public",
  publicKey: compressPublicKey(point),
});
const valid = (key: AccountKey, signers: Uint8Array[], rules = istanbul, role: Role = Role.transaction) =>
  validateSigners(key, role, signers, rules, address);

describe("validateSigners", () => {
  it("ties a legacy key to the address, whatever the form of the signer", () => {
    expect(valid(LEGACY_KEY, [a])).toBe(true);
    expect(valid(LEGACY_KEY, [compressPublicKey(a)])).toBe(true);
    expect(valid(LEGACY_KEY, [b])).toBe(false);
    expect(valid(LEGACY_KEY, [a, a])).toBe(false);
    expect(valid(LEGACY_KEY, [])).toBe(false);
  });

  it("accepts exactly one signature of a public key and none of a fail or nil key", () => {
    expect(valid(publicKey(b), [b])).toBe(true);
    expect(valid(publicKey(b), [a])).toBe(false);
    expect(valid(publicKey(b), [b, b])).toBe(false);
    expect(valid(FAIL_KEY, [a])).toBe(false);
    expect(valid(NIL_KEY, [a])).toBe(false);
  });

  it("sums the weights of the distinct signers of a multisig key", () => {
    expect(valid(multisig, [a, b])).toBe(true);
    expect(valid(multisig, [c])).toBe(true);
    expect(valid(multisig, [a])).toBe(false);
    expect(valid(multisig, [a, a, a])).toBe(false);
    expect(valid(multisig, [c, c])).toBe(true);
  });

  it("rejects superfluous signatures from istanbul on, but not before", () => {
    expect(valid(multisig, [c, stranger])).toBe(false);
    expect(valid(multisig, [c, stranger], before)).toBe(true);
    expect(valid(multisig, [a, b, c, c])).toBe(false);
    expect(valid(multisig, [a, b, c, c], before)).toBe(true);
  });

  it("says that more than ten signatures satisfy no key from istanbul on", () => {
    expect([10, 11].map((count) => areTooManySignatures(count, istanbul))).toEqual([false, true]);
    expect(areTooManySignatures(11, before)).toBe(false);
  });

  it("uses the key of the role, and that of transactions for roles without one", () => {
    const key: AccountKey = { type: "roleBased", keys: [publicKey(a), publicKey(b)] };
    expect(valid(key, [a], istanbul, Role.transaction)).toBe(true);
    expect(valid(key, [a], istanbul, Role.accountUpdate)).toBe(false);
    expect(valid(key, [b], istanbul, Role.accountUpdate)).toBe(true);
    expect(valid(key, [a], istanbul, Role.feePayer)).toBe(true);
  });
});
