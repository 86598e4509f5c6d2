import type { Files } from "../../../../platform/runtime/files.ts";
import type { LogRecord } from "../../../database/log/frame.ts";
import { readSegment, recordsAfter, segmentNames } from "../../../database/log/segment.ts";
import { decodeLogEntries } from "./log-record.ts";

/** Prefix of the names under which a repair sets files aside. */
const ASIDE = "damaged-";

/** The result of a repair of the log. */
export interface LogRepair {
  /** The damaged file, and the byte at which the damage begins. */
  readonly path: string;
  readonly offset: number;
  /** Files set aside with their original contents. */
  readonly kept: readonly string[];
  /** Whole records after the damage, now lost to the database. */
  readonly lostRecords: number;
  /** The blocks in these records; a block in the damaged part itself cannot be identified. */
  readonly lostBlocks: { readonly first: bigint; readonly last: bigint } | undefined;
}

/**
 * Truncates a damaged log at the damage. The damaged file and those after it stay in the folder under other names; after
 * each step the log is either still damaged or repaired. The caller holds the folder's lock.
 * @returns undefined if nothing is damaged; a torn last write is no damage
 */
export async function repairLog(files: Files, directory: string): Promise<LogRepair | undefined> {
  const names = segmentNames(files.list(directory));
  for (const [i, name] of names.entries()) {
    const path = `${directory}/${name}`;
    const bytes = files.read(path);
    const { whole, rest } = readSegment(name, bytes, () => {});
    const later = names.slice(i + 1);
    const isLast = later.every((next) => files.read(`${directory}/${next}`).length === 0);
    if (rest === "clean" || (rest === "torn" && isLast)) continue;
    const lost = [...recordsAfter(name, bytes, whole + 1)];
    for (const next of later)
      readSegment(next, files.read(`${directory}/${next}`), (record) => lost.push(record));
    const kept = [`${directory}/${ASIDE}${name}`];
    await files.replace(kept[0] as string, bytes);
    for (const next of later.toReversed()) {
      kept.push(`${directory}/${ASIDE}${next}`);
      files.rename(`${directory}/${next}`, `${directory}/${ASIDE}${next}`);
    }
    files.truncate(path, whole);
    return { path, offset: whole, kept, lostRecords: lost.length, lostBlocks: blocksOf(lost) };
  }
  return undefined;
}

function blocksOf(records: readonly LogRecord[]): LogRepair["lostBlocks"] {
  const numbers = records
    .flatMap(({ payload }) => [...decodeLogEntries(payload)])
    .flatMap((entry) => (entry.type === "block" ? [entry.block.number] : []));
  if (numbers.length === 0) return undefined;
  const ordered = numbers.sort((a, b) => (a < b ? -1 : 1));
  return { first: ordered[0] as bigint, last: ordered.at(-1) as bigint };
}
