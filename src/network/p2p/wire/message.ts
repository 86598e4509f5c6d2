import { atOnce } from "../../../platform/runtime/turns/pace.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { concat, numberToBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import { compress, decompressInSteps } from "./snappy.ts";

/** Largest payload once decompressed, in bytes. */
const MAX_PAYLOAD_BYTES = 2 ** 24 - 1;

/** What a frame carries. */
export interface WireMessage {
  /** Counted from 0 with the base protocol, whose codes end below 16. */
  readonly code: number;
  /** RLP, decompressed. */
  readonly payload: Uint8Array;
}

/** A payload that several peers are sent: it is compressed once. */
export class SharedPayload {
  readonly bytes: Uint8Array;
  #compressed: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get compressed(): Uint8Array {
    this.#compressed ??= compress(this.bytes);
    return this.#compressed;
  }
}

/** The body of a frame: the code's RLP and the payload, compressed once both sides have said hello. */
export function encodeMessage(
  { code, payload }: { readonly code: number; readonly payload: Uint8Array | SharedPayload },
  snappy: boolean,
): Uint8Array {
  const shared = payload instanceof SharedPayload ? payload : new SharedPayload(payload);
  return concat(encodeItem(numberToBytes(code)), snappy ? shared.compressed : shared.bytes);
}

/**
 * Reads the body of a frame, a large one in steps.
 * @throws PeerError `MESSAGE`, `SNAPPY`
 */
export function* decodeMessageInSteps(body: Uint8Array, snappy: boolean): Generator<void, WireMessage> {
  const reader = new RlpReader(body);
  const code = readCode(reader);
  const data = body.subarray(reader.position);
  return { code, payload: snappy ? yield* decompressInSteps(data, MAX_PAYLOAD_BYTES) : data };
}

/** As `decodeMessageInSteps`, at once. */
export function decodeMessage(body: Uint8Array, snappy: boolean): WireMessage {
  return atOnce(decodeMessageInSteps(body, snappy));
}

function readCode(reader: RlpReader): number {
  try {
    return Number(reader.uint("uint64", 8));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new PeerError("MESSAGE", `invalid message code: ${reason}`);
  }
}
