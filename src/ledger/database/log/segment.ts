import {
  checkedFrames,
  encodeSegmentStart,
  type FrameLayout,
  type LogFrame,
  type LogRecord,
  plainFrames,
  SEGMENT_START,
} from "./frame.ts";

/** `log-0000000001.v2`; without a suffix in folders of earlier versions. */
const NAME = /^log-(\d{10})(\.v2)?$/;
/** Disks write whole sectors; a sector of a grown file that was not written reads as zeros. */
const SECTOR = 512;
/** Bytes whose sequence number is further ahead than this are not a header. */
const MAX_SEQUENCE_GAP = 2 ** 32;

/** The segment names among the file names of a folder, oldest first. */
export function segmentNames(names: readonly string[]): string[] {
  return names.filter((name) => NAME.test(name)).sort();
}

/** Number of a segment, from 1. */
export function segmentNumber(name: string): number {
  return Number(NAME.exec(name)?.[1]);
}

/** File name of a segment of the log, by its number. */
export function segmentName(number: number): string {
  return `log-${String(number).padStart(10, "0")}.v2`;
}

/** Whether records can be appended to a segment; those of earlier versions are read-only. */
export function isAppendable(name: string): boolean {
  return name.endsWith(".v2");
}

/** Numbers of consecutive segments, inclusive. */
export interface SegmentRange {
  readonly from: number;
  readonly to: number;
}

/** The names of the segments of a range, oldest first; none for no range. */
export function namesIn(range: SegmentRange | undefined): string[] {
  if (range === undefined) return [];
  return Array.from({ length: range.to - range.from + 1 }, (_, i) => segmentName(range.from + i));
}

/** Whether a segment begins as one made in advance; one of an earlier version does not, nor one whose beginning is gone. */
export function isBegun(name: string, bytes: Uint8Array): boolean {
  const start = encodeSegmentStart(segmentNumber(name));
  return start.equals(bytes.subarray(0, SEGMENT_START));
}

/** What follows the whole frames of a segment. */
export interface SegmentEnd {
  /** Bytes of whole frames. */
  readonly whole: number;
  /**
   * - `clean`: nothing
   * - `torn`: a write that was cut short and never acknowledged
   * - `damaged`: data that had been whole
   */
  readonly rest: "clean" | "torn" | "damaged";
}

/** Passes the records of a segment to `onRecord`, up to its end or to the first frame that is not whole. */
export function readSegment(
  name: string,
  bytes: Uint8Array,
  onRecord: (record: LogRecord) => void,
): SegmentEnd {
  const segment = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const layout = layoutOf(name);
  let whole = 0;
  let last = 0;
  while (whole + layout.header <= segment.length) {
    const frame = layout.at(segment, whole);
    if (!frame?.isWhole()) break;
    for (const record of frame.records()) {
      onRecord(record);
      last = record.sequence;
    }
    whole = frame.end;
  }
  if (whole === segment.length) return { whole, rest: "clean" };
  return { whole, rest: isTorn(layout, segment, { whole, last }) ? "torn" : "damaged" };
}

/** Records of the whole frames after a damaged one: what is lost with it, as far as readable. */
export function* recordsAfter(name: string, bytes: Uint8Array, from: number): Generator<LogRecord> {
  const segment = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const layout = layoutOf(name);
  for (let frame = nextWhole(layout, segment, { from, last: 0 }); frame; ) {
    yield* frame.records();
    frame = nextWhole(layout, segment, { from: frame.end, last: 0 });
  }
}

function layoutOf(name: string): FrameLayout {
  return isAppendable(name) ? checkedFrames : plainFrames;
}

/**
 * Whether the bytes after the whole frames are a single write cut short by a crash or a power loss: no frame follows, and
 * its end or whole sectors of it are missing.
 */
function isTorn(
  layout: FrameLayout,
  segment: Buffer,
  { whole, last }: { readonly whole: number; readonly last: number },
): boolean {
  if (nextWhole(layout, segment, { from: whole + 1, last })) return false;
  const headerEnd = whole + layout.header;
  if (headerEnd > segment.length) return true;
  const frame = layout.at(segment, whole);
  if (!frame) return hasEmptySector(segment.subarray(0, headerEnd), whole);
  // Every write is one frame, so that nothing can follow a torn one, not even zeros.
  return frame.end > segment.length || (frame.end === segment.length && hasEmptySector(segment, headerEnd));
}

/** Whether any sector from `from` on is all zeros, the first one perhaps partial. */
function hasEmptySector(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; ) {
    const next = Math.min(bytes.length, (Math.floor(at / SECTOR) + 1) * SECTOR);
    if (bytes.subarray(at, next).every((byte) => byte === 0)) return true;
    at = next;
  }
  return false;
}

/** The first whole frame that begins at or after an offset. */
function nextWhole(
  layout: FrameLayout,
  segment: Buffer,
  { from, last }: { readonly from: number; readonly last: number },
): LogFrame | undefined {
  for (let at = from; at + layout.header <= segment.length; at++) {
    const sequence = layout.sequenceAt(segment, at);
    if (sequence <= last || sequence > last + MAX_SEQUENCE_GAP) continue;
    const frame = layout.at(segment, at);
    if (frame && frame.end > at + layout.header && frame.isWhole()) return frame;
  }
  return undefined;
}
