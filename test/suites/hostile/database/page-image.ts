/** A number from 0 to below `below`. */
export type Random = (below: number) => number;

/** The content of a file after a power loss. */
export interface PageImage {
  /** A description of how it arose. */
  readonly kind: string;
  /** Undefined if the folder's entry was not written. */
  readonly bytes: Buffer | undefined;
}

/** Size of a sector, which a disk writes atomically. */
const SECTOR = 512;
const PAGE = 4096;
/** Offset at which LMDB writes the 128 bytes that commit a transaction, in one of its first two pages. */
const META_AT = 40;
const META_SIZE = 128;

/**
 * Possible remains of LMDB's batch. It writes pages that are not in use yet, syncs, writes 128 bytes of one of its
 * first two pages, and syncs again (as `strace` shows).
 * @param synced - the file before the batch
 * @param written - and behind it; undefined when there is none
 */
export function unsyncedPages(random: Random, synced: Buffer, written: Buffer | undefined): PageImage {
  if (written === undefined) return { kind: "between batches", bytes: synced };
  if (random(3) === 0) return { kind: "within the last page", bytes: tornMeta(random, synced, written) };
  const grown = Math.max(0, written.length - synced.length) / SECTOR;
  const bytes = Buffer.alloc(synced.length + random(grown + 1) * SECTOR);
  synced.copy(bytes);
  const density = 1 + random(5);
  for (let at = 2 * PAGE; at < bytes.length; at += SECTOR)
    if (random(density) === 0) written.copy(bytes, at, at, at + SECTOR);
  return { kind: "within the pages of a batch", bytes };
}

function tornMeta(random: Random, synced: Buffer, written: Buffer): Buffer {
  const bytes = Buffer.from(written);
  const length = META_AT + random(META_SIZE + 1);
  for (const page of [0, PAGE]) synced.copy(bytes, page + length, page + length, page + PAGE);
  return bytes;
}

/** Possible remains of a new file: nothing, an empty file, a part, or any of its sectors. */
export function unsyncedCreation(random: Random, synced: Buffer): PageImage {
  const part = synced.subarray(0, random(synced.length / SECTOR + 1) * SECTOR);
  switch (random(4)) {
    case 0:
      return { kind: "without the file", bytes: undefined };
    case 1:
      return { kind: "with an empty file", bytes: Buffer.alloc(0) };
    case 2:
      return { kind: "with a part of a new file", bytes: part };
    default: {
      const bytes = Buffer.alloc(synced.length);
      for (let at = 0; at < bytes.length; at += SECTOR)
        if (random(2) === 0) synced.copy(bytes, at, at, at + SECTOR);
      return { kind: "with some sectors of a new file", bytes };
    }
  }
}
