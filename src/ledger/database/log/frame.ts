import { crc32 } from "node:zlib";

/** A record of the log with its sequence number. */
export interface LogRecord {
  readonly sequence: number;
  /** Not to be modified until the record is on disk. */
  readonly payload: Uint8Array;
}

/** A frame found in a segment: the records of one write. */
export interface LogFrame {
  /** Offset of its end, perhaps beyond the end of the segment. */
  readonly end: number;
  /** Whether it is complete and matches its checksum. */
  isWhole(): boolean;
  /** Its records; views. */
  records(): Iterable<LogRecord>;
}

/** Layout of the frames of a segment. */
export interface FrameLayout {
  /** Bytes of a header. */
  readonly header: number;
  /** Sequence number of the first record, if there is a header at the offset. */
  sequenceAt(segment: Buffer, offset: number): number;
  /** The frame at an offset with space for a header; undefined if the header is damaged. */
  at(segment: Buffer, offset: number): LogFrame | undefined;
}

/** Header: bytes of the body u32 | records u32 | sequence of the first u64 | crc32 of these 16 bytes u32; little-endian. */
const HEADER = 20;
const HEADER_CRC = 16;
/** Before each record of the body: its length. */
const LENGTH = 4;
/** After the body: its crc32. If the end of a write is missing, the file has zeros there, or nothing. */
const TRAILER = 4;

/** Size in bytes of what `encodeSegmentStart` returns. */
export const SEGMENT_START = HEADER + 8 + TRAILER;

/** Encodes the frame that begins a segment made in advance: without records, with the segment's number in its body. */
export function encodeSegmentStart(number: number): Buffer {
  const frame = startFrame({ length: 8, records: 0, sequence: 0 });
  const end = frame.writeBigUInt64LE(BigInt(number), HEADER);
  frame.writeUInt32LE(crc32(frame.subarray(HEADER, end)), end);
  return frame;
}

/** Encodes the records of one write as a frame; their sequence numbers are consecutive. */
export function encodeFrame(records: readonly LogRecord[]): Buffer {
  const length = records.reduce((sum, { payload }) => sum + LENGTH + payload.length, 0);
  const { sequence } = records[0] as LogRecord;
  const frame = startFrame({ length, records: records.length, sequence });
  let offset = HEADER;
  for (const { payload } of records) {
    offset = frame.writeUInt32LE(payload.length, offset);
    frame.set(payload, offset);
    offset += payload.length;
  }
  frame.writeUInt32LE(crc32(frame.subarray(HEADER, offset)), offset);
  return frame;
}

/** A frame with its header, and space for its body. */
function startFrame(of: Readonly<Record<"length" | "records" | "sequence", number>>): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + of.length + TRAILER);
  frame.writeUInt32LE(of.length, 0);
  frame.writeUInt32LE(of.records, 4);
  frame.writeBigUInt64LE(BigInt(of.sequence), 8);
  frame.writeUInt32LE(crc32(frame.subarray(0, HEADER_CRC)), HEADER_CRC);
  return frame;
}

/** Current layout. The header has its own checksum, so that a flipped bit in a length is not mistaken for a torn write. */
export const checkedFrames: FrameLayout = {
  header: HEADER,
  sequenceAt: (segment, offset) => Number(segment.readBigUInt64LE(offset + 8)),
  at(segment, offset) {
    const header = segment.subarray(offset, offset + HEADER);
    if (crc32(header.subarray(0, HEADER_CRC)) !== header.readUInt32LE(HEADER_CRC)) return undefined;
    const bodyEnd = offset + HEADER + header.readUInt32LE(0);
    const body = segment.subarray(offset + HEADER, bodyEnd);
    const end = bodyEnd + TRAILER;
    return {
      end,
      isWhole: () => end <= segment.length && crc32(body) === segment.readUInt32LE(bodyEnd),
      *records() {
        const sequence = Number(header.readBigUInt64LE(8));
        for (let at = 0, index = 0; index < header.readUInt32LE(4); index++) {
          const next = at + LENGTH + body.readUInt32LE(at);
          yield { sequence: sequence + index, payload: body.subarray(at + LENGTH, next) };
          at = next;
        }
      },
    };
  },
};

/** Layout of earlier versions, one record per frame: length u32 | crc32 u32 of all that follows | sequence u64 | payload. */
export const plainFrames: FrameLayout = {
  header: 16,
  sequenceAt: (segment, offset) => Number(segment.readBigUInt64LE(offset + 8)),
  at(segment, offset) {
    const length = segment.readUInt32LE(offset);
    if (length === 0) return undefined; // no record is empty
    const end = offset + 16 + length;
    return {
      end,
      isWhole: () =>
        end <= segment.length &&
        crc32(segment.subarray(offset + 8, end)) === segment.readUInt32LE(offset + 4),
      *records() {
        const sequence = Number(segment.readBigUInt64LE(offset + 8));
        yield { sequence, payload: segment.subarray(offset + 16, end) };
      },
    };
  },
};
