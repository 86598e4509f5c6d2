import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { concat, numberToBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import { compress, decompressInSteps } from "./snappy.ts";

/** Largest payload once decompressed, in bytes. */
const MAX_PAYLOAD_BYTES = 2 ** 24 - 1;

/** The message in a frame. */
export interface WireMessage {
  /** Absolute code; those of the base protocol are below 16. */
  readonly code: number;
  /** RLP, decompressed. */
  readonly payload: Uint8Array;
}

/** A payload for several peers, compressed only once. */
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

/** The body of a frame: the RLP of the code, and the payload, compressed after the hello exchange. */
export function encodeMessage(
  { code, payload }: { readonly code: number; readonly payload: Uint8Array | SharedPayload },
  snappy: boolean,
): Uint8Array {
  const shared = payload instanceof SharedPayload ? payload : new SharedPayload(payload);
  return concat(encodeItem(numberToBytes(code)), snappy ? shared.compressed : shared.bytes);
}

/**
 * Decodes the body of a frame, in steps if it is large.
 * @throws PeerError `MESSAGE`, `SNAPPY`
 */
export function* decodeMessageInSteps(body: Uint8Array, snappy: boolean): Generator<void, WireMessage> {
  const reader = new RlpReader(body);
  const code = readCode(reader);
  const data = body.subarray(reader.position);
  return { code, payload: snappy ? yield* decompressInSteps(data, MAX_PAYLOAD_BYTES) : data };
}

/** Like `decodeMessageInSteps`, without yielding. */
export function decodeMessage(body: Uint8Array, snappy: boolean): WireMessage {
  return runSync(decodeMessageInSteps(body, snappy));
}

function readCode(reader: RlpReader): number {
  try {
    return Number(reader.uint("uint64", 8));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new PeerError("MESSAGE", `invalid message code: ${reason}`);
  }
}
