import { isObject, type Json, NumberLiteral } from "../codec/json/value.ts";
import type { Hash } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { TransactionError } from "./errors.ts";
import { bigWire, bytesWire, byteWire, decodeWire, hashWire, structWire, type WireMember } from "./wire.ts";

/** A block of another chain as anchored on this one. */
export interface AnchoredBlock {
  readonly blockHash: Hash;
  readonly transactionsRoot: Hash;
  readonly parentHash: Hash;
  readonly receiptsRoot: Hash;
  readonly stateRoot: Hash;
  readonly blockNumber: bigint;
  /** Blocks and transactions since the last anchor; absent in the old form. */
  readonly blockCount?: bigint;
  readonly txCount?: bigint;
}

type OldAnchor = Omit<AnchoredBlock, "blockCount" | "txCount">;

const oldMembers: readonly WireMember<Required<AnchoredBlock>>[] = [
  ["blockHash", "BlockHash", hashWire],
  ["transactionsRoot", "TxHash", hashWire],
  ["parentHash", "ParentHash", hashWire],
  ["receiptsRoot", "ReceiptHash", hashWire],
  ["stateRoot", "StateRootHash", hashWire],
  ["blockNumber", "BlockNumber", bigWire],
];
const OLD = "types.AnchoringDataLegacy";
const BLOCK = "types.AnchoringDataInternalType0";
const oldAnchor = structWire<OldAnchor>(OLD, oldMembers as readonly WireMember<OldAnchor>[]);
const blockAnchor = structWire<Required<AnchoredBlock>>(BLOCK, [
  ...oldMembers,
  ["blockCount", "BlockCount", bigWire],
  ["txCount", "TxCount", bigWire],
]);

const ENVELOPE = "types.AnchoringData";
const envelope = structWire<{ type: number; data: Uint8Array }>(ENVELOPE, [
  ["type", "Type", byteWire("uint8")],
  ["data", "Data", bytesWire],
]);

/** Kinds of anchored data. */
const BLOCK_DATA = 0;
const JSON_DATA = 128;

/** Anchored data in the current envelope, or a block in the old form, which has none. */
function open(input: Uint8Array): { type: number; data: Uint8Array } | OldAnchor {
  try {
    return decodeWire(envelope, input, [ENVELOPE]);
  } catch {
    return decodeWire(oldAnchor, input, [OLD]);
  }
}

/**
 * Decodes the input of an anchoring transaction that anchors a block.
 * @throws RlpError; TransactionError for data of another kind
 */
export function decodeAnchoredBlock(input: Uint8Array): AnchoredBlock {
  const anchored = open(input);
  if (!("type" in anchored)) return anchored;
  if (anchored.type === BLOCK_DATA) return decodeWire(blockAnchor, anchored.data, [BLOCK]);
  throw new TransactionError("TX_MALFORMED", "unknown anchoring tx type", { type: anchored.type });
}

/**
 * The input of an anchoring transaction as the JSON of its `inputJSON` member.
 * @throws RlpError, TransactionError when it is no anchored data; views show null then
 */
export function anchoringToJson(input: Uint8Array): Json {
  const anchored = open(input);
  if (!("type" in anchored)) return blockToJson(anchored);
  if (anchored.type === BLOCK_DATA) return blockToJson(decodeWire(blockAnchor, anchored.data, [BLOCK]));
  if (anchored.type === JSON_DATA) return parseObject(new TextDecoder().decode(anchored.data));
  const text = `unknown anchoring tx type type=${anchored.type}`;
  throw new TransactionError("TX_MALFORMED", text, { type: anchored.type });
}

function blockToJson(block: AnchoredBlock): Json {
  return Object.fromEntries(
    Object.entries(block).map(([name, value]) => [
      name,
      typeof value === "bigint" ? number(value) : bytesToHex(value),
    ]),
  );
}

/** An unbounded integer, in decimal. */
function number(value: bigint): Json {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? new NumberLiteral(value.toString()) : Number(value);
}

function parseObject(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TransactionError("TX_MALFORMED", jsonFault(text, String(cause)), {}, { cause });
  }
  if (value !== null && !isObject(value))
    throw new TransactionError("TX_MALFORMED", "anchored JSON is not an object");
  return sorted(value);
}

/** The reference stores objects as maps, which it writes in key order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as Json)]));
}

function jsonFault(text: string, fault: string): string {
  const position = /position (\d+)/.exec(fault)?.[1];
  const cut = position === undefined || Number(position) >= text.length;
  return cut ? "unexpected end of JSON input" : fault;
}
