import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { Passphrase } from "../passphrase.ts";
import { createKeyDeriver } from "./key-derivation.ts";
import { formatKeyFile, formatKeyFileV3, keyFileAddress, newUuid, parseKeyFile } from "./key-file.ts";
import { encryptKeyFile } from "./key-storage.ts";
import { decryptKeyFile } from "./private-keys.ts";

const folder = new URL("../../../test/fixtures/vectors/keystore/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const deriver = createKeyDeriver();
const { randomness } = createSimulatedRuntime();

/** Files of standard cost take a second of a free core, and there may be none. */
const STANDARD_COST_TIMEOUT_MS = 60_000;

interface KeyFileCase {
  name: string;
  address: string;
  json: unknown;
  password: string;
  privateKeys: string[][];
}
const known: KeyFileCase[] = [...read("keyfiles.json").cases, ...read("v4-known.json").cases];

describe("a key file", () => {
  it.each(known)(
    "$name can be decrypted",
    async ({ json, address, password, privateKeys }) => {
      const text = JSON.stringify(json);
      const keys = await decryptKeyFile(text, new Passphrase(password), deriver);
      expect(keys.keyring.map((role) => role.map((key) => bytesToHex(key)))).toEqual(privateKeys);
      expect(bytesToHex(keys.address)).toBe(address);
      expect(keyFileAddress(text)).toEqual(keys.address);
    },
    STANDARD_COST_TIMEOUT_MS,
  );

  it.each(known.filter(({ json }) => (json as { version: number }).version === 4))(
    "$name round-trips",
    ({ json }) => {
      const parsed = parseKeyFile(JSON.stringify(json));
      expect(parseKeyFile(formatKeyFile(parsed))).toEqual(parsed);
    },
  );

  it("of version 3 is written only for a single key", async () => {
    const v3 = known.find(({ name }) => name === "v3-light") as KeyFileCase;
    expect(formatKeyFileV3(parseKeyFile(JSON.stringify(v3.json)))).toBe(JSON.stringify(v3.json));
    const roles = known.find(({ privateKeys }) => privateKeys.length > 1) as KeyFileCase;
    const several = parseKeyFile(JSON.stringify(roles.json));
    expect(() => formatKeyFileV3(several)).toThrowError("a key file of version 3 holds one key");
  });

  it("writes the members in the reference node's order", () => {
    const nested = known.find(({ name }) => name === "v4-single-light") as KeyFileCase;
    expect(formatKeyFile(parseKeyFile(JSON.stringify(nested.json)))).toBe(JSON.stringify(nested.json));
  });

  type Invalid = { name: string; json: string; password: string; error: string };
  it.each<Invalid>(read("invalid.json").cases)("$name: $error", async ({ json, password, error }) => {
    const attempt = decryptKeyFile(json, new Passphrase(password), deriver);
    if (error === "<nil>") await expect(attempt).resolves.toBeDefined();
    else await expect(attempt).rejects.toThrowError(expect.objectContaining({ message: error }));
  });

  type OldCase = { json: object; password: string; priv: string };
  const old: [string, OldCase][] = ["v1_test_vector.json", "v3_test_vector.json"].flatMap((name) =>
    Object.entries(read(`files/${name}`) as Record<string, OldCase>),
  );
  it.each(old)(
    "old format %s",
    async (_, { json, password, priv }) => {
      const attempt = decryptKeyFile(JSON.stringify(json), new Passphrase(password), deriver);
      if (priv.length !== 64) await expect(attempt).rejects.toThrowError("invalid length, need 256 bits");
      else expect(bytesToHex((await attempt).keyring[0]?.[0] as Uint8Array)).toBe(`0x${priv}`);
    },
    STANDARD_COST_TIMEOUT_MS,
  );

  it("encrypts several keys per role, each with its own salt and nonce", async () => {
    const key = (n: number) => new Uint8Array(32).fill(n);
    const keys = {
      address: key(9).slice(12),
      id: newUuid(randomness),
      keyring: [[key(1), key(2)], [key(3)]],
    };
    const text = await encryptKeyFile(keys, new Passphrase("päss"), {
      cost: { n: 2, p: 1 },
      randomness,
      deriver,
    });
    expect(await decryptKeyFile(text, new Passphrase("päss"), deriver)).toEqual(keys);
    const salts = parseKeyFile(text)
      .keyring.flat()
      .map(({ derivation }) => bytesToHex(derivation.salt));
    expect(new Set(salts).size).toBe(3);
    await expect(decryptKeyFile(text, new Passphrase("pass"), deriver)).rejects.toThrowError(
      "could not decrypt key",
    );
  });

  it("leaves no key in memory if only some of them can be decrypted", async () => {
    const key = (n: number) => new Uint8Array(32).fill(n);
    const keys = { address: key(9).slice(12), id: newUuid(randomness), keyring: [[key(1), key(2)]] };
    const text = await encryptKeyFile(keys, new Passphrase("pw"), {
      cost: { n: 2, p: 1 },
      randomness,
      deriver,
    });
    const file = JSON.parse(text);
    file.keyring[0][1].mac = "00".repeat(32);
    const { fill } = Uint8Array.prototype;
    let wiped = 0;
    vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, ...given) {
      if (given[0] === 0 && equalBytes(this, key(1))) wiped++;
      return fill.apply(this, given);
    });
    const attempt = decryptKeyFile(JSON.stringify(file), new Passphrase("pw"), deriver);
    await expect(attempt).rejects.toMatchObject({ code: "WRONG_PASSPHRASE" });
    vi.restoreAllMocks();
    expect(wiped).toBe(1);
  });

  it("has a UUID of version 4", () => {
    for (const [byte, uuid] of [
      [0, "00000000-0000-4000-8000-000000000000"],
      [0xff, "ffffffff-ffff-4fff-bfff-ffffffffffff"],
    ] as const)
      expect(newUuid({ bytes: (length) => new Uint8Array(length).fill(byte) })).toBe(uuid);
  });
});

describe("key derivation", () => {
  const salt = hexToBytes("0x00");
  it.each([
    { kdf: "scrypt", n: 2 ** 24, r: 8, p: 1, dklen: 32, salt },
    { kdf: "scrypt", n: 3, r: 8, p: 1, dklen: 32, salt },
    { kdf: "scrypt", n: 2, r: 8, p: 1, dklen: 16, salt },
    { kdf: "scrypt", n: Number.NaN, r: 8, p: 1, dklen: 32, salt },
    { kdf: "pbkdf2", c: 1e12, dklen: 32, salt },
  ] as const)("refuses a hostile cost: %o", async (how) => {
    await expect(deriver.derive(new Passphrase("x"), how)).rejects.toThrowError(
      expect.objectContaining({ code: "KDF_LIMIT" }),
    );
  });

  it("serves many concurrent callers", async () => {
    const how = { kdf: "scrypt", n: 2, r: 8, p: 1, dklen: 32, salt } as const;
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => deriver.derive(new Passphrase("x"), how)),
    );
    expect(new Set(keys.map(bytesToHex)).size).toBe(1);
  });
});
