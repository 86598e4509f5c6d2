import { parseJson } from "../../../protocol/codec/json/parse.ts";
import { type Json, NumberLiteral } from "../../../protocol/codec/json/value.ts";
import { RlpError } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

const HASHES = ["blockHash", "transactionsRoot", "parentHash", "receiptsRoot", "stateRoot"] as const;
const JSON_TYPE = 128;

/**
 * The anchored data of a transaction as JSON: the fields of the anchored block, or the JSON text that was anchored.
 * @returns null when the data is neither
 */
export function anchoredJson(data: Uint8Array): Json {
  try {
    const list = new RlpReader(data);
    list.enterList("types.AnchoringData");
    if (list.bytes().length === 32) return readBlock(new RlpReader(data), []);
    return readTyped(data);
  } catch (error) {
    if (error instanceof RlpError) return null;
    throw error;
  }
}

/** `[type, data]`: type 0 is a block with its counts, type 128 a JSON text. */
function readTyped(data: Uint8Array): Json {
  const reader = new RlpReader(data);
  reader.enterList("types.AnchoringData");
  const type = reader.number();
  const inner = reader.bytes();
  reader.leaveList();
  reader.finish();
  if (type === 0) return readBlock(new RlpReader(inner), ["blockCount", "txCount"]);
  if (type !== JSON_TYPE) return null;
  const parsed = parseJson(new TextDecoder().decode(inner));
  return "value" in parsed ? parsed.value : null;
}

function readBlock(reader: RlpReader, counts: readonly string[]): Json {
  const out: { [key: string]: Json } = {};
  reader.enterList("types.AnchoringDataInternalType0");
  for (const name of HASHES) out[name] = bytesToHex(reader.fixed(32, "common.Hash"));
  for (const name of ["blockNumber", ...counts]) out[name] = exactNumber(reader.uint());
  reader.leaveList();
  reader.finish();
  return out;
}

function exactNumber(value: bigint): Json {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? new NumberLiteral(value.toString()) : Number(value);
}
