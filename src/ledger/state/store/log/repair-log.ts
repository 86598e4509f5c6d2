import type { Files } from "../../../../platform/runtime/files.ts";
import { Acknowledged } from "../../../database/log/acknowledged.ts";
import { encodeSegmentStart, type LogRecord, SEGMENT_START } from "../../../database/log/frame.ts";
import {
  isBegun,
  namesIn,
  readSegment,
  recordsAfter,
  type SegmentRange,
  segmentNames,
  segmentNumber,
} from "../../../database/log/segment.ts";
import { decodeLogEntries } from "./log-record.ts";

/** Prefix of the names under which a repair sets files aside. */
const ASIDE = "damaged-";

/** The result of a repair of the log. */
export interface LogRepair {
  /** The damaged file, and the byte at which the damage begins. */
  readonly path: string;
  readonly offset: number;
  /** What was in that file, or before it, is gone, and nobody can say how much that was. */
  readonly isGone: boolean;
  /** Nothing is damaged, but records at the end were cut off. */
  readonly isCut: boolean;
  /** Files set aside with their original contents. */
  readonly kept: readonly string[];
  /** Whole records after the damage, now lost to the database; or those that were cut off. */
  readonly lostRecords: number;
  /** The blocks in these records; a block in the damaged part itself cannot be identified. */
  readonly lostBlocks: { readonly first: bigint; readonly last: bigint } | undefined;
}

/** What the engine notes of the log. */
export interface NotedLog {
  /** Number of the last record that the engine has. */
  readonly sequence: number;
  /** Segments that must exist. */
  readonly segments?: SegmentRange | undefined;
}

/** One segment, and where it ends to be of use. */
interface Part {
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly records: readonly LogRecord[];
  readonly whole: number;
  readonly rest: "clean" | "torn" | "damaged" | "gone";
}

/**
 * Truncates a damaged log at the damage. The damaged file and those after it stay in the folder under other names; after
 * each step the log is either still damaged or repaired. The caller holds the folder's lock.
 * @param noted - absent if the engine cannot be read; a missing file is not noticed then
 * @returns undefined if nothing is damaged; a torn last write is no damage
 */
export async function repairLog(
  files: Files,
  directory: string,
  noted?: NotedLog,
): Promise<LogRepair | undefined> {
  const required = namesIn(noted?.segments);
  const parts = readParts(files, directory, { required, sequence: noted?.sequence });
  const at = parts.findIndex(({ rest }, i) => {
    const isLast = parts.slice(i + 1).every(isUnused);
    return rest !== "clean" && !(rest === "torn" && isLast);
  });
  const first = parts[at];
  const notes = new Acknowledged(files, directory);
  if (first === undefined) return acceptEnd(notes, parts, noted?.sequence);
  const { path, bytes, whole, rest } = first;
  const later = parts.slice(at + 1);
  const isGone = rest === "gone";
  const lost = isGone ? [...first.records] : [...recordsAfter(first.name, bytes, whole + 1)];
  lost.push(...later.flatMap(({ records }) => records));
  const kept: string[] = [];
  const keep = async (part: Part): Promise<void> => {
    if (part.bytes.length === 0) return;
    kept.push(`${directory}/${ASIDE}${part.name}`);
    await files.replace(`${directory}/${ASIDE}${part.name}`, part.bytes);
  };
  /** Leaves a segment as if nothing had been recorded in it. */
  const empty = async ({ name, path }: Part): Promise<void> => {
    if (required.includes(name)) await files.replace(path, encodeSegmentStart(segmentNumber(name)));
    else files.remove(path);
  };
  await keep(first);
  for (const part of later.toReversed()) {
    if (isUnused(part)) continue;
    await keep(part);
    await empty(part);
  }
  if (isGone) await empty(first);
  else files.truncate(path, whole);
  notes.forget();
  return {
    path,
    offset: whole,
    isGone,
    isCut: false,
    kept,
    lostRecords: lost.length,
    lostBlocks: blocksOf(lost),
  };
}

/** Lets a log go on from its end, though later records had been acknowledged. @returns undefined if none had */
function acceptEnd(notes: Acknowledged, parts: readonly Part[], sequence = 0): LogRepair | undefined {
  const last = Math.max(sequence, ...parts.flatMap(({ records }) => records.at(-1)?.sequence ?? 0));
  const lostRecords = notes.read() - last;
  const newest = parts.findLast((part) => !isUnused(part)) ?? parts.at(-1);
  if (lostRecords <= 0 || newest === undefined) return undefined;
  notes.forget();
  const { path, whole } = newest;
  return { path, offset: whole, isGone: false, isCut: true, kept: [], lostRecords, lostBlocks: undefined };
}

/** Whether nothing was recorded in a segment, which was perhaps being made when the node died. */
function isUnused({ records, rest, bytes }: Part): boolean {
  return records.length === 0 && rest !== "gone" && bytes.length <= SEGMENT_START;
}

/** The segments that exist or must, oldest first. */
function readParts(
  files: Files,
  directory: string,
  { required, sequence }: { readonly required: readonly string[]; readonly sequence: number | undefined },
): Part[] {
  const found = segmentNames(files.list(directory));
  let last = sequence;
  return segmentNames([...new Set([...found, ...required])]).map((name) => {
    const path = `${directory}/${name}`;
    const bytes = found.includes(name) ? files.read(path) : new Uint8Array(0);
    const records: LogRecord[] = [];
    const { whole, rest } = readSegment(name, bytes, (record) => records.push(record));
    const begin = records[0]?.sequence ?? 0;
    const isAfterGap = last !== undefined && begin > last + 1;
    if (isAfterGap || (required.includes(name) && !isBegun(name, bytes)))
      return { name, path, bytes, records, whole: 0, rest: "gone" };
    if (last !== undefined) last = Math.max(last, records.at(-1)?.sequence ?? 0);
    return { name, path, bytes, records, whole, rest };
  });
}

function blocksOf(records: readonly LogRecord[]): LogRepair["lostBlocks"] {
  const numbers = records
    .flatMap(({ payload }) => [...decodeLogEntries(payload)])
    .flatMap((entry) => (entry.type === "block" ? [entry.block.number] : []));
  if (numbers.length === 0) return undefined;
  const ordered = numbers.sort((a, b) => (a < b ? -1 : 1));
  return { first: ordered[0] as bigint, last: ordered.at(-1) as bigint };
}
