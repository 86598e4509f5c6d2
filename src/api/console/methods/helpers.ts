import { checksumAddress } from "../../../protocol/account/address.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { ADDRESS_PATTERN, bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Bridge } from "../bridge.ts";
import { addContracts } from "../contracts/contracts.ts";
import { addFilters, type Every } from "./filters.ts";
import { CHAIN_MODULES } from "./go-names.ts";
import type { Namespace } from "./namespaces.ts";
import { type Amount, fromSmallest, toSmallest } from "./units.ts";

/** Interval of polling the block number while waiting for blocks. */
const POLL_MS = 100;
/** Interval of polling a watched filter. */
const WATCH_MS = 500;

/** Repeats work in the background until the console ends. */
const every: Every = (work) => {
  const timer = setInterval(work, WATCH_MS);
  return () => clearInterval(timer);
};

/** Adds what only the console has: units, waiting, contracts, filters, and the converters of `web3`. */
export function addHelpers(spaces: Record<string, Namespace>, bridge: Bridge): void {
  for (const name of CHAIN_MODULES) {
    const space = spaces[name];
    if (space === undefined) continue;
    Object.assign(space, { toPeb, fromPeb, toKei, fromKei });
    addContracts(space, every);
    addFilters(space, every);
  }
  for (const [name, convert] of Object.entries(CONVERTERS))
    if (spaces["kaia"] !== undefined && !(name in spaces["kaia"])) addUnlisted(spaces["kaia"], name, convert);
  spaces["web3"] = Object.assign(spaces["web3"] ?? {}, CONVERTERS);
  const chain = CHAIN_MODULES.map((name) => spaces[name]).find((space) => space !== undefined);
  const sleep = (seconds: number): void => bridge.sleep(seconds * 1000);
  spaces["admin"] = Object.assign(spaces["admin"] ?? {}, { sleep, sleepBlocks: sleepBlocks(chain, bridge) });
}

/** The Go console has the converters on `kaia` too; they are not listed twice here. */
function addUnlisted(space: Namespace, name: string, value: unknown): void {
  Object.defineProperty(space, name, { value, configurable: true });
}

/** Converts an amount to peb; `unit` is that of the amount, KLAY by default. */
function toPeb(amount: Amount, unit = "KLAY"): string | bigint {
  return toSmallest(amount, unit);
}

/** Converts peb to another unit, KLAY by default. */
function fromPeb(amount: Amount, unit = "KLAY"): string {
  return fromSmallest(amount, unit);
}

/** Converts an amount to kei; `unit` is that of the amount, KAIA by default. */
function toKei(amount: Amount, unit = "KAIA"): string | bigint {
  return toSmallest(amount, unit);
}

/** Converts kei to another unit, KAIA by default. */
function fromKei(amount: Amount, unit = "KAIA"): string {
  return fromSmallest(amount, unit);
}

const CONVERTERS = {
  toWei: toKei,
  fromWei: fromKei,
  toBigNumber: (value: Amount) => BigInt(value),
  toDecimal: (value: Amount) => Number(BigInt(value)),
  fromDecimal: (value: Amount) => signedHex(BigInt(value)),
  toHex: (value: unknown) => toHex(value),
  toUtf8: (hex: string) => Buffer.from(hex.replace(/^0x/, ""), "hex").toString("utf8"),
  fromUtf8: (text: string) => `0x${Buffer.from(text, "utf8").toString("hex")}`,
  toAscii: (hex: string) => Buffer.from(hex.replace(/^0x/, ""), "hex").toString("latin1"),
  fromAscii: (text: string) => `0x${Buffer.from(text, "latin1").toString("hex")}`,
  sha3,
  isAddress: (value: unknown) => typeof value === "string" && ADDRESS_PATTERN.test(prefixed(value)),
  toChecksumAddress: (address: string) => checksumAddress(addressBytes(address)),
  isChecksumAddress: (value: unknown) =>
    typeof value === "string" &&
    ADDRESS_PATTERN.test(prefixed(value)) &&
    checksumAddress(addressBytes(value)) === value,
  padLeft: (text: string, length: number, sign = "0") => text.padStart(length, sign),
  padRight: (text: string, length: number, sign = "0") => text.padEnd(length, sign),
};

/** Keccak-256 of a text, as in the Go console, or with `{encoding: "hex"}` of the bytes it represents. */
function sha3(text: string, options?: { readonly encoding?: string }): string {
  if (typeof text !== "string") throw new Error("sha3 takes a text");
  const isHex = options?.encoding === "hex";
  const bytes = isHex ? hexToBytes(prefixed(text)) : new TextEncoder().encode(text);
  return bytesToHex(keccak256(bytes));
}

function addressBytes(text: string): Uint8Array {
  if (!ADDRESS_PATTERN.test(prefixed(text))) throw new Error(`not an address: ${text}`);
  return hexToBytes(prefixed(text));
}

/** Hex with a prefix, which may be missing. */
function prefixed(text: string): string {
  return `0x${text.replace(/^0x/, "")}`;
}

function toHex(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return signedHex(BigInt(value));
  if (typeof value !== "string") return CONVERTERS.fromUtf8(JSON.stringify(value));
  if (/^-?0x[0-9a-fA-F]*$/.test(value)) return value;
  return /^(-?\d+)?$/.test(value) ? signedHex(BigInt(value)) : CONVERTERS.fromUtf8(value);
}

/** The sign comes before the prefix, as in the Go console. */
function signedHex(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/** Waits for this many blocks. @returns whether they arrived within the timeout */
function sleepBlocks(chain: Namespace | undefined, bridge: Bridge) {
  const height = (): bigint => BigInt((chain?.["blockNumber"] ?? 0) as number);
  return (blocks: number, timeoutSeconds = Number.POSITIVE_INFINITY): boolean => {
    const wanted = height() + BigInt(blocks);
    for (let waited = 0; height() < wanted; waited += POLL_MS) {
      if (waited >= timeoutSeconds * 1000) return false;
      bridge.sleep(POLL_MS);
    }
    return true;
  };
}
