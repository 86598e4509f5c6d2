/** A part of a message; all but the last are of one size. */
export interface Segment {
  /** From 0. */
  readonly index: number;
  readonly total: number;
  readonly bytes: Uint8Array;
}

/** The producer's identification in each segment. */
export interface Producer {
  /** Distinguishes producers that feed one topic. */
  readonly id: string;
  /** Absent = headers of the reference's first form, without version and producer. */
  readonly version: "1.0" | undefined;
}

/** Cuts a message into segments of at most `size` bytes; they share its memory. An empty one is one segment. */
export function segmentsOf(value: Uint8Array, size: number): Segment[] {
  const total = Math.max(1, Math.ceil(value.length / size));
  return Array.from({ length: total }, (_, index) => ({
    index,
    total,
    bytes: value.subarray(index * size, (index + 1) * size),
  }));
}

/**
 * Headers of a segment in the reference's order, which its consumer insists on: `totalSegments` and `segmentIdx` as 64 bits,
 * most significant byte first, then `version` and `producerId` as text.
 */
export function segmentHeaders({ index, total }: Segment, producer: Producer): readonly [string, Buffer][] {
  const headers: [string, Buffer][] = [
    ["totalSegments", uint64(total)],
    ["segmentIdx", uint64(index)],
  ];
  if (producer.version === undefined) return headers;
  return [...headers, ["version", Buffer.from(producer.version)], ["producerId", Buffer.from(producer.id)]];
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
