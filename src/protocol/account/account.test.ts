import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../codec/json/value.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { compressPublicKey, publicKeyOf } from "../crypto/secp256k1.ts";
import { EMPTY_BYTES } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import {
  type Account,
  copyOf,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
  isEmptyAccount,
  newContract,
  newEoa,
} from "./account.ts";
import { decodeAccount, encodeAccount } from "./account-codec.ts";
import { accountToJson } from "./account-json.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY } from "./key.ts";

const file = new URL("../../../test/fixtures/vectors/account.json", import.meta.url);
const cases: { name: string; rlp: string; json: Json }[] = JSON.parse(readFileSync(file, "utf8")).cases;
const publicKey = compressPublicKey(publicKeyOf(new Uint8Array(32).fill(7)));

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const account = fc.record({
  type: fc.constantFrom("eoa" as const, "sca" as const),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  balance: fc.bigInt({ min: 0n, max: 2n ** 200n }),
  humanReadable: fc.boolean(),
  key: fc.constantFrom<AccountKey>(LEGACY_KEY, FAIL_KEY, { type: "public", publicKey }),
  storageRoot: fc.oneof(fc.constant(EMPTY_ROOT), hash),
  codeHash: fc.oneof(fc.constant(EMPTY_CODE_HASH), hash),
  codeInfo: fc.constantFrom(0, 0x10),
}) as fc.Arbitrary<Account>;

describe("account", () => {
  it("round-trips through the trie's encoding", () => {
    fc.assert(
      fc.property(account, (value) => {
        expect(decodeAccount(encodeAccount(value))).toEqual(value);
      }),
    );
  });

  it.each(cases)("$name equals the reference node's encoding and JSON", ({ rlp, json }) => {
    const value = decodeAccount(hexToBytes(rlp));
    expect(bytesToHex(encodeAccount(value))).toBe(rlp);
    expect(accountToJson(value)).toEqual(json);
  });

  it("is copied with all its members", () => {
    fc.assert(
      fc.property(account, (original) => {
        const copy = copyOf(original);
        expect(copy).toEqual(original);
        copy.balance++;
        expect(original.balance).toBe(copy.balance - 1n);
      }),
    );
  });

  it("does not keep the bytes alive from which it was decoded", () => {
    const bytes = encodeAccount({ ...newContract(), codeHash: new Uint8Array(32).fill(9) });
    const value = decodeAccount(bytes);
    bytes.fill(0);
    expect(value.codeHash).toEqual(new Uint8Array(32).fill(9));
  });

  it("starts with the hashes of nothing", () => {
    expect(EMPTY_CODE_HASH).toEqual(keccak256(EMPTY_BYTES));
    expect(EMPTY_ROOT).toEqual(keccak256(Uint8Array.of(0x80)));
  });

  it("is empty without nonce, balance, code and own key", () => {
    expect(isEmptyAccount(newEoa())).toBe(true);
    expect(isEmptyAccount(newContract())).toBe(true);
    expect(isEmptyAccount(newEoa(1n))).toBe(false);
    expect(isEmptyAccount({ ...newEoa(), key: FAIL_KEY })).toBe(false);
    expect(isEmptyAccount({ ...newContract(), codeHash: new Uint8Array(32) })).toBe(false);
  });

  it("rejects an unknown type byte", () => {
    expect(() => decodeAccount(Uint8Array.of(3, 0xc0))).toThrowError(
      expect.objectContaining({ code: "ACCOUNT_TYPE" }),
    );
  });
});
