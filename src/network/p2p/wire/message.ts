import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { concat, numberToBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import { compress, decompress } from "./snappy.ts";

/** Largest payload once decompressed, in bytes. */
const MAX_PAYLOAD_BYTES = 2 ** 24 - 1;

/** What a frame carries. */
export interface Message {
  /** Counted from 0 with the base protocol, whose codes end below 16. */
  readonly code: number;
  /** RLP, decompressed. */
  readonly payload: Uint8Array;
}

/** The body of a frame: the code's RLP and the payload, compressed once both sides have said hello. */
export function encodeMessage({ code, payload }: Message, snappy: boolean): Uint8Array {
  return concat(encodeItem(numberToBytes(code)), snappy ? compress(payload) : payload);
}

/**
 * Reads the body of a frame.
 * @throws PeerError `MESSAGE`, `SNAPPY`
 */
export function decodeMessage(body: Uint8Array, snappy: boolean): Message {
  const reader = new RlpReader(body);
  const code = readCode(reader);
  const data = body.subarray(reader.position);
  return { code, payload: snappy ? decompress(data, MAX_PAYLOAD_BYTES) : data };
}

function readCode(reader: RlpReader): number {
  try {
    return Number(reader.uint("uint64", 8));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new PeerError("MESSAGE", `invalid message code: ${reason}`);
  }
}
