import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../codec/json/value.ts";
import { compressPublicKey, publicKeyOf } from "../crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { type AccountKey, equalKeys, FAIL_KEY, LEGACY_KEY, NIL_KEY, type Role } from "./key.ts";
import { decodeAccountKey, encodeAccountKey } from "./key-codec.ts";
import { accountKeyFromJson, accountKeyToJson, encodeAccountKeyJson } from "./key-json.ts";
import { accountKeyCreationGas, checkInstallable, updateAccountKey } from "./key-rules.ts";
import { signatureValidationGas } from "./key-signatures.ts";

function vectors<T>(name: string): T[] {
  const file = new URL(`../../../test/fixtures/vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).cases;
}

/** Message of what a call throws; null when it returns. */
function failure(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const publicKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => (bytes[0] as number) > 0 && (bytes[0] as number) < 255)
  .map((privateKey) => compressPublicKey(publicKeyOf(privateKey)));
const weight = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n });
const simpleKey: fc.Arbitrary<AccountKey> = fc.oneof(
  fc.constantFrom<AccountKey>(NIL_KEY, LEGACY_KEY, FAIL_KEY),
  fc.record({ type: fc.constant("public" as const), publicKey }),
  fc.record({
    type: fc.constant("weightedMultisig" as const),
    threshold: weight,
    keys: fc.array(fc.record({ weight, publicKey }), { maxLength: 4 }),
  }),
);
const anyKey = fc.oneof(
  simpleKey,
  fc.record({ type: fc.constant("roleBased" as const), keys: fc.array(simpleKey, { maxLength: 3 }) }),
);

describe("account key", () => {
  it("round-trips through RLP and JSON", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(decodeAccountKey(encodeAccountKey(key))).toEqual(key);
        expect(accountKeyFromJson(accountKeyToJson(key))).toEqual(key);
        expect(encodeAccountKeyJson(accountKeyToJson(key))).toEqual(encodeAccountKey(key));
        expect(equalKeys(key, decodeAccountKey(encodeAccountKey(key)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  type KeyCase = {
    name: string;
    rlp: string;
    json: Json;
    installError: string | null;
    creationGas: number;
    creationGasError: string | null;
  };
  it.each(vectors<KeyCase>("account-key"))("$name is encoded, shown, checked and priced", (vector) => {
    const key = decodeAccountKey(hexToBytes(vector.rlp));
    expect(bytesToHex(encodeAccountKey(key))).toBe(vector.rlp);
    const json = JSON.stringify(vector.json).replace('"keys":null', '"keys":[]');
    expect(JSON.parse(JSON.stringify(accountKeyToJson(key)))).toEqual(JSON.parse(json));
    expect(failure(() => checkInstallable(key))).toBe(vector.installError);
    expect(failure(() => accountKeyCreationGas(key))).toBe(vector.creationGasError);
    if (vector.creationGasError === null) expect(accountKeyCreationGas(key)).toBe(BigInt(vector.creationGas));
  });

  type DecodeCase = { name: string; rlp: string; json: Json; error: string | null };
  it.each(vectors<DecodeCase>("account-key-decode"))("decodes or refuses $name", ({ rlp, json, error }) => {
    expect(failure(() => decodeAccountKey(hexToBytes(rlp)))).toBe(error);
    if (error === null) expect(accountKeyToJson(decodeAccountKey(hexToBytes(rlp)))).toEqual(json);
  });

  it("does not overflow the stack on a deeply nested key", () => {
    let bytes: Uint8Array = Uint8Array.of(0x01, 0xc0);
    const wrap = () => encodeAccountKey({ type: "roleBased", keys: [decodeAccountKey(bytes)] });
    for (let i = 0; i < 32; i++) bytes = wrap();
    expect(() => decodeAccountKey(wrap())).not.toThrow(RangeError);
  });

  it("keeps every digit of a 64-bit weight", () => {
    const key: AccountKey = { type: "weightedMultisig", threshold: 2n ** 64n - 1n, keys: [] };
    expect(accountKeyToJson(key)).toMatchObject({ key: { threshold: { text: "18446744073709551615" } } });
    expect(accountKeyFromJson(accountKeyToJson(key))).toEqual(key);
  });

  it.each([
    [{ key: {} }, "key type is not specified"],
    [null, "key type is not specified"],
    [{ keyType: 6, key: {} }, "undefined account key type"],
    [{ keyType: 4 }, "unexpected end of JSON input"],
    [{ keytype: 2, KEY: null }, "X or Y value of the public key does not exist"],
    [
      { keyType: 2, key: { x: "0x0", y: "0x0" } },
      "the key probably contains an invalid public key: key is not on the S256 curve",
    ],
    [
      { keyType: 2, key: { x: 1, y: 2 } },
      "json: cannot unmarshal non-string into Go struct field publicKeySerializableInternalJSON.x of type *hexutil.Big",
    ],
    [
      { keyType: 2, key: { x: "0x01", y: "0x2" } },
      "json: cannot unmarshal hex number with leading zero digits into Go struct field publicKeySerializableInternalJSON.x of type *hexutil.Big",
    ],
    [{ keyType: 4, key: { keys: [] } }, "invalid threshold of the multiSigKey"],
    [
      { keyType: 4, key: { threshold: 1, keys: [{ key: { x: "0x1", y: "0x1" } }] } },
      "invalid weight of the multiSigKey",
    ],
    [
      { keyType: 5, key: [{ keyType: 5, key: [] }] },
      "roleBasedKey cannot contains a roleBasedKey as a role key",
    ],
  ] satisfies [Json, string][])("refuses %j", (json, text) => {
    expect(failure(() => accountKeyFromJson(json))).toBe(text);
  });

  const weighted = (key: Json) => ({ keyType: 4, key: { threshold: 1, keys: [key] } });
  const struct = (found: string, field: string) =>
    `json: cannot unmarshal ${found} into Go struct field ${field}`;
  // Measured on the reference node v2.2.1.
  it.each([
    [weighted(1), struct("number", "AccountKeyWeightedMultiSig.keys of type accountkey.WeightedPublicKey")],
    [
      weighted({ weight: "1", key: 1 }),
      struct("number", "WeightedPublicKey.keys.key of type accountkey.publicKeySerializableInternalJSON"),
    ],
    [weighted({ weight: "1", key: null }), struct("string", "WeightedPublicKey.keys.weight of type uint")],
    [
      { keyType: 4, key: { threshold: "1", keys: "" } },
      struct("string", "AccountKeyWeightedMultiSig.threshold of type uint"),
    ],
    [weighted({}), "invalid weight of the multiSigKey"],
  ] satisfies [Json, string][])("names the mistake in %j that the reference names", (json, text) => {
    expect(failure(() => encodeAccountKeyJson(json))).toBe(text);
  });

  const offCurve = { keyType: 2, key: { x: "0x1", y: "0x1" } };
  it.each([
    [weighted({ weight: 1 }), "0x04c501c3c201c0"],
    [{ keyType: 5, key: [{ keyType: 1, key: {} }, offCurve, { keyType: 0, key: {} }] }, "0x05c68201c0808180"],
  ] satisfies [Json, string][])("encodes %j, although it cannot be installed", (json, encoded) => {
    expect(bytesToHex(encodeAccountKeyJson(json))).toBe(encoded);
    expect(failure(() => accountKeyFromJson(json))).not.toBeNull();
  });

  type UpdateCase = { name: string; old: string; new: string; error: string | null; result: string | null };
  it.each(vectors<UpdateCase>("account-key-update"))("update: $name", (vector) => {
    const update = () =>
      updateAccountKey(decodeAccountKey(hexToBytes(vector.old)), decodeAccountKey(hexToBytes(vector.new)));
    expect(failure(update)).toBe(vector.error);
    if (vector.error === null) expect(bytesToHex(encodeAccountKey(update()))).toBe(vector.result);
  });

  it("returns the receipt status of a rejected update", () => {
    expect(() => updateAccountKey(FAIL_KEY, FAIL_KEY)).toThrowError(
      expect.objectContaining({ code: "KEY_FAIL_NOT_UPDATABLE", receiptStatus: 0x0f }),
    );
  });

  type GasCase = {
    name: string;
    key: string;
    role: Role;
    signatures: number;
    istanbul: boolean;
    gas: number;
  };
  it("prices signatures as the reference node", () => {
    for (const { key, role, signatures, istanbul, gas, name } of vectors<GasCase>("sig-validation-gas")) {
      const have = signatureValidationGas(decodeAccountKey(hexToBytes(key)), role, signatures, { istanbul });
      expect(have, name).toBe(BigInt(gas));
    }
  });
});
