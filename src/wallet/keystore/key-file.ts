import type { Randomness } from "../../platform/runtime/runtime.ts";
import { MAX_MULTISIG_KEYS } from "../../protocol/account/key-rules.ts";
import { parseJson } from "../../protocol/codec/json/parse.ts";
import { isObject, type Json, kindOf, numberText } from "../../protocol/codec/json/value.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { WalletError } from "../errors.ts";
import { formatGo } from "./go-format.ts";
import type { KeyDerivation } from "./key-derivation.ts";
import type { SealedKey } from "./sealed-key.ts";
import { parseUuid } from "./uuid.ts";

/** A decoded key file; its keys are still encrypted. */
export interface KeyFile {
  readonly version: 1 | 3 | 4;
  readonly address: Address;
  /** UUID in its usual text form. */
  readonly id: string;
  /** Keys by role (0 transaction, 1 account update, 2 fee payer); files of versions 1 and 3 have one. */
  readonly keyring: readonly (readonly SealedKey[])[];
}

/** Transaction, account update, fee payer; more would only cost derivations. */
const MAX_ROLES = 3;

type JsonObject = { [key: string]: Json };

/**
 * Decodes a key file of version 1, 3 or 4.
 * @throws WalletError `KEY_FILE` with the reference node's texts
 */
export function parseKeyFile(text: string): KeyFile {
  const parsed = parseJson(text);
  if ("syntaxError" in parsed) throw invalid(syntaxText(parsed.syntaxError));
  const file = asObject(parsed.value, "map[string]interface {}");
  const version = file["version"] ?? null;
  const number = numberText(version);
  if (number !== undefined) return parseNumbered(file, Number(number));
  if (typeof version !== "string") throw invalid(`undefined type of version: ${formatGo(file)}`);
  if (version !== "1") throw invalid("invalid UUID (got 0 bytes)");
  return { version: 1, ...parseHead(file), keyring: [[parseSealed(member(file, "crypto"), "aes-128-cbc")]] };
}

/** The address in a key file; undefined when it is not one. Checks nothing else. */
export function keyFileAddress(text: string): Address | undefined {
  try {
    const address = parseAddress(member(JSON.parse(text) as JsonObject, "address"));
    return address.some((byte) => byte !== 0) ? address : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file of version 3, the format of Ethereum wallets. @throws WalletError `KEY_FILE` for several keys */
export function formatKeyFileV3({ address, id, keyring }: Omit<KeyFile, "version">): string {
  const [key, ...others] = keyring.flat();
  if (key === undefined || others.length > 0)
    throw invalid(`a key file of version 3 holds one key, this account has ${keyring.flat().length}`);
  return JSON.stringify({ address: hex(address), crypto: sealedToJson(key), id, version: 3 });
}

/** The text of a file of version 4. */
export function formatKeyFile({ address, id, keyring }: Omit<KeyFile, "version">): string {
  const roles = keyring.map((keys) => keys.map(sealedToJson));
  return JSON.stringify({ address: hex(address), keyring: roles, id, version: 4 });
}

/** A new random UUID (version 4). */
export function newUuid(randomness: Randomness): string {
  const bytes = randomness.bytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return parseUuid(hex(bytes));
}

/** Go's decoder and `json.Unmarshal` name an early end differently. */
function syntaxText(reason: string): string {
  return reason.endsWith("EOF") ? "unexpected end of JSON input" : reason;
}

function parseNumbered(file: JsonObject, version: number): KeyFile {
  if (version === 3) {
    return { version, ...parseHead(file), keyring: [[parseSealed(member(file, "crypto"), "aes-128-ctr")]] };
  }
  if (version !== 4) throw invalid(`undefined version: ${version.toFixed(6)}`);
  return { version, ...parseHead(file), keyring: parseKeyring(member(file, "keyring")) };
}

function parseHead(file: JsonObject): { address: Address; id: string } {
  return { address: parseAddress(member(file, "address")), id: parseUuid(asText(member(file, "id"))) };
}

/** A flat list is a single role with several keys. */
function parseKeyring(json: Json): SealedKey[][] {
  if (!Array.isArray(json))
    throw invalid(`json: cannot unmarshal ${kindOf(json)} into Go value of type keyring`);
  const roles = json.every(Array.isArray) ? (json as Json[][]) : [json];
  if (roles.length > MAX_ROLES || roles.some((keys) => keys.length > MAX_MULTISIG_KEYS))
    throw invalid(`more than ${MAX_ROLES} roles of ${MAX_MULTISIG_KEYS} keys`);
  return roles.map((keys) => keys.map((key) => parseSealed(key, "aes-128-ctr")));
}

function parseSealed(json: Json, cipher: string): SealedKey {
  const sealed = asObject(json, "keystore.cryptoJSON");
  const name = asText(member(sealed, "cipher"));
  if (name !== cipher) throw invalid(`Cipher not supported: ${name}`);
  return {
    mac: parseHex(member(sealed, "mac")),
    iv: parseIv(member(asObject(member(sealed, "cipherparams"), "keystore.cipherparamsJSON"), "iv")),
    ciphertext: parseHex(member(sealed, "ciphertext")),
    derivation: parseDerivation(asText(member(sealed, "kdf")), asObject(member(sealed, "kdfparams"), "map")),
  };
}

function parseDerivation(kdf: string, params: JsonObject): KeyDerivation {
  const common = { salt: parseHex(params["salt"] ?? null), dklen: asNumber(params["dklen"]) };
  if (kdf === "scrypt") {
    return { kdf, ...common, n: asNumber(params["n"]), r: asNumber(params["r"]), p: asNumber(params["p"]) };
  }
  if (kdf !== "pbkdf2") throw invalid(`Unsupported KDF: ${kdf}`);
  const prf = asText(params["prf"] ?? null);
  if (prf !== "hmac-sha256") throw invalid(`Unsupported PBKDF2 PRF: ${prf}`);
  return { kdf, ...common, c: asNumber(params["c"]) };
}

function sealedToJson({ ciphertext, iv, mac, derivation }: SealedKey): JsonObject {
  const { kdf, salt, ...costs } = derivation;
  return {
    cipher: "aes-128-ctr",
    ciphertext: hex(ciphertext),
    cipherparams: { iv: hex(iv) },
    kdf,
    kdfparams: sorted({ ...costs, salt: hex(salt), ...(kdf === "pbkdf2" ? { prf: "hmac-sha256" } : {}) }),
    mac: hex(mac),
  };
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A member by its case-insensitive name, as old wallets wrote `Crypto`; null when absent. */
function member(object: JsonObject, name: string): Json {
  const exact = object[name];
  if (exact !== undefined) return exact;
  const key = Object.keys(object).find((k) => k.toLowerCase() === name);
  return key === undefined ? null : (object[key] as Json);
}

function parseAddress(json: Json): Address {
  const address = new Uint8Array(20);
  const digits = typeof json === "string" ? json.replace(/^0x/i, "") : "";
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex").subarray(-20);
  address.set(bytes, 20 - bytes.length);
  return address;
}

function parseIv(json: Json): Uint8Array {
  const iv = parseHex(json);
  if (iv.length !== 16) throw invalid("cipher: IV length must equal block size");
  return iv;
}

function parseHex(json: Json): Uint8Array {
  const digits = asText(json);
  const wrong = /[^0-9a-f]/i.exec(digits)?.[0];
  if (wrong !== undefined) {
    const point = (wrong.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    throw invalid(`encoding/hex: invalid byte: U+${point} '${wrong}'`);
  }
  if (digits.length % 2 !== 0) throw invalid("encoding/hex: odd length hex string");
  return new Uint8Array(Buffer.from(digits, "hex"));
}

function asObject(json: Json, type: string): JsonObject {
  if (isObject(json)) return json;
  if (json === null) return {};
  throw invalid(`json: cannot unmarshal ${kindOf(json)} into Go value of type ${type}`);
}

function asText(json: Json): string {
  if (typeof json === "string") return json;
  if (json === null) return "";
  throw invalid(`json: cannot unmarshal ${kindOf(json)} into Go value of type string`);
}

function asNumber(json: Json | undefined): number {
  const text = numberText(json ?? null);
  if (text === undefined) throw invalid("key derivation parameter is not a number");
  return Math.trunc(Number(text));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

function invalid(text: string): WalletError {
  return new WalletError("KEY_FILE", text);
}
