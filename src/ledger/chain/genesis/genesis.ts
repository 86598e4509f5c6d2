import type { ChainConfig } from "../../../protocol/params/config.ts";
import {
  type ConfigJson,
  integerAt,
  objectAt,
  parseExactJson,
  textAt,
} from "../../../protocol/params/config-json.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import {
  type Address,
  EMPTY_BYTES,
  type Hash,
  leftPad,
  ZERO_HASH,
} from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { ChainError } from "../errors.ts";

/** A genesis file, decoded. */
export interface Genesis {
  readonly config: ChainConfig;
  /** 0 in every real chain. */
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  /** `rlp(JSON text)` of the parameters; see `initialGenesis`. */
  readonly governance: Uint8Array;
  readonly blockScore?: bigint;
  readonly gasUsed: bigint;
  readonly parentHash: Hash;
  readonly baseFee?: bigint;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly alloc: readonly GenesisAccount[];
}

/** An account allocated by the genesis. */
export interface GenesisAccount {
  readonly address: Address;
  /** kei */
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  /** 32 bytes each. */
  readonly storage: readonly { readonly slot: Hash; readonly value: Hash }[];
}

/**
 * Reads the text of a genesis file.
 * @throws ChainError `GENESIS_INVALID`, ParamsError
 */
export function parseGenesis(text: string): Genesis {
  let json: unknown;
  try {
    json = parseExactJson(text);
  } catch (cause) {
    throw invalid(`not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw invalid("not a JSON object");
  return readGenesis(json as ConfigJson);
}

/**
 * Reads a parsed genesis file. Numbers may be JSON numbers, or strings in decimal or hex.
 * @throws ChainError `GENESIS_INVALID`, ParamsError
 */
export function readGenesis(json: ConfigJson): Genesis {
  const config = objectAt(json, "config");
  if (config === undefined) throw invalid("genesis has no chain configuration");
  return readGenesisWith(parseChainConfig(config), json);
}

/** As `readGenesis`, but with a separate configuration. */
export function readGenesisWith(config: ChainConfig, json: ConfigJson): Genesis {
  const alloc = objectAt(json, "alloc");
  if (alloc === undefined) throw invalid("missing required field 'alloc' for Genesis");
  return {
    config,
    number: integerAt(json, "number") ?? 0n,
    timestamp: integerAt(json, "timestamp") ?? 0n,
    extraData: bytesAt(json, "extraData"),
    governance: base64At(json, "governanceData"),
    gasUsed: integerAt(json, "gasUsed") ?? 0n,
    parentHash: hashAt(json, "parentHash"),
    ...present("blockScore", integerAt(json, "blockScore")),
    ...present("baseFee", integerAt(json, "baseFeePerGas")),
    ...present("blobGasUsed", integerAt(json, "blobGasUsed")),
    ...present("excessBlobGas", integerAt(json, "excessBlobGas")),
    alloc: Object.keys(alloc).map((address) => readAccount(address, objectAt(alloc, address) ?? {})),
  };
}

function readAccount(address: string, json: ConfigJson): GenesisAccount {
  const balance = integerAt(json, "balance");
  if (balance === undefined)
    throw invalid("missing required field 'balance' for GenesisAccount", { address });
  const storage = objectAt(json, "storage") ?? {};
  return {
    address: addressOf(address),
    balance,
    nonce: integerAt(json, "nonce") ?? 0n,
    code: bytesAt(json, "code"),
    storage: Object.keys(storage).map((slot) => ({ slot: word(slot), value: word(String(storage[slot])) })),
  };
}

function addressOf(text: string): Address {
  if (!/^(0[xX])?[0-9a-fA-F]{40}$/.test(text)) throw invalid(`invalid address ${text} in alloc`);
  return hexToBytes(`0x${text.slice(-40)}`);
}

/** A storage key or value: hex with or without prefix, padded on the left. */
function word(text: string): Hash {
  const digits = text.replace(/^0x/, "");
  if (digits.length > 64) throw invalid(`too many hex characters in storage key/value "${digits}"`);
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw invalid(`invalid hex storage key/value "${digits}"`);
  return leftPad(hexToBytes(`0x${digits}`), 32);
}

function bytesAt(json: ConfigJson, key: string): Uint8Array {
  const text = textAt(json, key);
  return text === undefined || text === "" ? EMPTY_BYTES : hexToBytes(text);
}

/** The reference writes this one field as base64. */
function base64At(json: ConfigJson, key: string): Uint8Array {
  const text = textAt(json, key);
  if (text === undefined || text === "") return EMPTY_BYTES;
  return text.startsWith("0x") ? hexToBytes(text) : Uint8Array.from(Buffer.from(text, "base64"));
}

function hashAt(json: ConfigJson, key: string): Hash {
  const bytes = bytesAt(json, key);
  return bytes.length === 0 ? ZERO_HASH : leftPad(bytes, 32);
}

function present<K extends string>(key: K, value: bigint | undefined): { [P in K]?: bigint } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: bigint };
}

function invalid(reason: string, details: Record<string, unknown> = {}): ChainError {
  return new ChainError("GENESIS_INVALID", reason, details);
}
