import { InvalidParamsError, MismatchError } from "../../../../protocol/codec/json/errors.ts";
import { hash, quantityDigits } from "../../../../protocol/codec/json/hex.ts";
import { object } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, type Schema } from "../../../../protocol/codec/json/schema.ts";
import { isObject, type Json, kindOf, numberText } from "../../../../protocol/codec/json/value.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";

/** A block number, the latest block, or the pending one. */
export type BlockNumber = bigint | "latest" | "pending";

/** A block by number or hash; neither if the caller gave none. */
export type BlockRef =
  | { readonly number: BlockNumber; readonly hash?: undefined }
  | { readonly hash: Hash; readonly requireCanonical: boolean; readonly number?: undefined }
  | { readonly number?: undefined; readonly hash?: undefined };

/** The newest block. */
export const LATEST_BLOCK: BlockRef = { number: "latest" };
/** The block that would be sealed next. */
export const PENDING_BLOCK: BlockRef = { number: "pending" };

/** The number that a reference means. @param latest - number of the newest block, meant by tags */
export function numberAt(number: BlockNumber, latest: bigint): bigint {
  return typeof number === "bigint" ? number : latest;
}

/** A number as most of the reference's consensus reads it: unsigned, so that one below zero is far beyond the newest block. */
export function unsignedNumber<N extends BlockNumber | undefined>(number: N): N | bigint {
  return typeof number === "bigint" ? BigInt.asUintN(64, number) : number;
}

type Tags = Readonly<Record<string, BlockNumber>>;

const KLAYTN_TAGS: Tags = { latest: "latest", earliest: 0n, pending: "pending" };
/** Every block of this protocol is final. */
const TAGS: Tags = { ...KLAYTN_TAGS, safe: "latest", finalized: "latest" };
/** A number that may be below 2^64: longer ones are not converted, which takes a second for some million digits. */
const UINT64_TEXT = /^\d{1,20}$/;
const MAX_NUMBER = 2n ** 63n - 1n;

/**
 * The meaning of a JSON integer from 0 to 2^64 - 1. The reference keeps it as a signed 64-bit number, where -1 means
 * latest and -2 pending; other negative numbers match no block.
 */
function wholeNumber(value: Json): BlockNumber | undefined {
  const text = numberText(value);
  if (text === undefined || !UINT64_TEXT.test(text)) return undefined;
  const number = BigInt(text);
  if (number > MAX_UINT64) return undefined;
  const signed = BigInt.asIntN(64, number);
  return signed === -1n ? "latest" : signed === -2n ? "pending" : signed;
}

/** A number or tag as text. @throws InvalidParamsError with the bare text of the reference's hex decoder */
function numberOfText(text: string, tags: Tags, expects: string, tooHigh: string): BlockNumber {
  const tag = tags[text];
  if (tag !== undefined) return tag;
  const details = { got: text, expects };
  if (text === "") throw new InvalidParamsError("empty hex string", details);
  const parsed = quantityDigits(text, 64);
  if ("problem" in parsed) throw new InvalidParamsError(wrongDigit(text) ?? parsed.problem, details);
  const number = BigInt(`0x${parsed.digits}`);
  if (number > MAX_NUMBER) throw new InvalidParamsError(tooHigh, details);
  return number;
}

/** The reference reads digit by digit, and stops at a wrong one before it finds the number too long. */
function wrongDigit(text: string): string | undefined {
  return /^0x[1-9a-f][0-9a-f]{0,15}[^0-9a-f]/i.test(text) || /^0x[^0-9a-f]/i.test(text)
    ? "invalid hex string"
    : undefined;
}

/** A block number as it is written in arguments. */
export function encodeNumber(number: BlockNumber): string {
  return typeof number === "string" ? number : `0x${number.toString(16)}`;
}

function expectsNumber(tags: Tags): string {
  const names = Object.keys(tags);
  const listed = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return `a block number (JSON integer or 0x-prefixed hex) or ${listed}`;
}

function numberSchema(tags: Tags): Schema<BlockNumber> {
  const expects = expectsNumber(tags);
  return {
    title: "block number",
    denotes: "block",
    json: { oneOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
    expects,
    decode(value) {
      const number = value === null ? 0n : wholeNumber(value);
      if (number !== undefined) return number;
      const text = typeof value === "string" ? value : (numberText(value) ?? JSON.stringify(value));
      return numberOfText(text, tags, expects, "Blocknumber too high");
    },
    encode: encodeNumber,
  };
}

function refSchema(tags: Tags, number: Schema<BlockNumber>): Schema<BlockRef> {
  const expects = `${number.expects}, a block hash, or an object with blockNumber or blockHash`;
  const members = object("BlockReference", {
    blockNumber: optional(number, "Number of the block."),
    blockHash: optional(hash, "Hash of the block."),
    requireCanonical: optional(boolean, "Whether the block must be on the canonical chain."),
  });
  return {
    title: "block",
    denotes: "block",
    json: { oneOf: [{ type: "string" }, { type: "integer", minimum: 0 }, { type: "object" }] },
    expects,
    decode(value) {
      if (value === null) return {};
      if (isObject(value)) return refOfObject(value, members, expects);
      const number = wholeNumber(value);
      if (number !== undefined) return { number };
      if (typeof value !== "string") throw notText(value, expects);
      if (value.length === 66) return { hash: hashOfText(value, expects), requireCanonical: false };
      return { number: numberOfText(value, tags, expects, "blocknumber too high") };
    },
    encode(ref) {
      if (ref.hash !== undefined) return { blockHash: hash.encode(ref.hash) };
      return ref.number === undefined ? null : encodeNumber(ref.number);
    },
  };
}

/** The `BlockNumber` type of the reference. */
export const blockNumber = numberSchema(TAGS);

/** The `BlockNumberOrHash` type of the reference. null refers to no block, which handlers reject. */
export const blockRef = refSchema(TAGS, blockNumber);

/** `BlockNumber` of Klaytn v1.12.1, without `safe` and `finalized`. */
export const klaytnBlockNumber = numberSchema(KLAYTN_TAGS);

/** `BlockNumberOrHash` of Klaytn v1.12.1. */
export const klaytnBlockRef = refSchema(KLAYTN_TAGS, klaytnBlockNumber);

function notText(value: Json, expects: string): MismatchError {
  return new MismatchError(kindOf(value), "string", { got: value, expects });
}

interface RefMembers {
  readonly blockNumber?: BlockNumber;
  readonly blockHash?: Hash;
  readonly requireCanonical?: boolean;
}

function refOfObject(value: { [key: string]: Json }, members: Schema<RefMembers>, expects: string): BlockRef {
  let decoded: RefMembers;
  try {
    decoded = members.decode(value);
  } catch {
    // The reference then tries the object as a text, and that is the failure it reports.
    throw notText(value, expects);
  }
  const { blockNumber: number, blockHash } = decoded;
  if (number !== undefined && blockHash !== undefined) {
    const reason = "cannot specify both BlockHash and BlockNumber, choose one or the other";
    throw new InvalidParamsError(reason, { got: value, expects });
  }
  if (blockHash !== undefined)
    return { hash: blockHash, requireCanonical: decoded.requireCanonical ?? false };
  return number === undefined ? {} : { number };
}

function hashOfText(text: string, expects: string): Hash {
  const parsed = /^0[xX]([0-9a-fA-F]{64})$/.exec(text);
  if (parsed !== null) return hexToBytes(`0x${parsed[1]}`);
  const problem = /^0x/i.test(text) ? "invalid hex string" : "hex string without 0x prefix";
  throw new InvalidParamsError(problem, { got: text, expects });
}
