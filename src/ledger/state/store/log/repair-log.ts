import type { Files } from "../../../../platform/runtime/files.ts";
import type { LogRecord } from "../../../database/log/frame.ts";
import { readSegment, recordsBehind, segmentNames } from "../../../database/log/segment.ts";
import { decodeLogEntries } from "./log-record.ts";

/** In front of the names of files that a repair keeps aside. */
const ASIDE = "damaged-";

/** What a repair of the log did. */
export interface LogRepair {
  /** The file that was damaged, and from which byte on. */
  readonly path: string;
  readonly offset: number;
  /** Files that were kept, with all that was in them. */
  readonly kept: readonly string[];
  /** Whole records behind the damage, which the database does not have any more. */
  readonly lostRecords: number;
  /** The blocks of these; one before them, at the damage itself, cannot be told. */
  readonly lostBlocks: { readonly first: bigint; readonly last: bigint } | undefined;
}

/**
 * Ends a damaged log before the damage. The damaged file and those behind it stay in the folder under other names; each
 * step leaves a log that is damaged still or repaired. The folder's lock is the caller's.
 * @returns undefined when nothing but perhaps the end of the last write is missing
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
    const lost = [...recordsBehind(name, bytes, whole + 1)];
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
