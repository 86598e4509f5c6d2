import { crc32 } from "node:zlib";

/** length u32 | crc32 u32 of all that follows | sequence u64, little-endian. */
const HEADER = 16;
const CRC_FROM = 8;

/** A record of the log with its place in the order of all records. */
export interface LogRecord {
  readonly sequence: number;
  readonly payload: Uint8Array;
}

/** Frames a record: header and payload in one new buffer. */
export function encodeFrame({ sequence, payload }: LogRecord): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeBigUInt64LE(BigInt(sequence), CRC_FROM);
  frame.set(payload, HEADER);
  frame.writeUInt32LE(crc32(frame.subarray(CRC_FROM)), 4);
  return frame;
}

/**
 * Reads the frames of a segment up to its end or to the first that is not whole.
 * @returns the number of bytes of whole frames
 */
export function readFrames(bytes: Uint8Array, onRecord: (record: LogRecord) => void): number {
  const segment = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 0;
  while (offset + HEADER <= segment.length) {
    const end = offset + HEADER + segment.readUInt32LE(offset);
    if (
      end > segment.length ||
      crc32(segment.subarray(offset + CRC_FROM, end)) !== segment.readUInt32LE(offset + 4)
    )
      break;
    const sequence = Number(segment.readBigUInt64LE(offset + CRC_FROM));
    onRecord({ sequence, payload: segment.subarray(offset + HEADER, end) });
    offset = end;
  }
  return offset;
}
