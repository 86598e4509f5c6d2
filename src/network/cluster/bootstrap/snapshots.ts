import { createHash, type Hash as Sum } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "../../../platform/runtime/create-folder.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { ChangeLog, LogStart, SnapshotPart, SnapshotPlace } from "../change-log.ts";
import { ClusterError } from "../errors.ts";

/** Bytes per part. */
const PART = 4 << 20;
/** Maximum parts of a snapshot: 4 TiB. */
const MAX_PARTS = 1 << 20;
/** Maximum files of a snapshot. */
const MAX_FILES = 4_096;
/** Permitted names for database files. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/**
 * Uploads the files of a folder to the log, as the snapshot after a block.
 * @param signal - aborts between two parts
 * @returns its size in bytes, and its SHA-256: over the file name, a zero byte and the SHA-256 of each part, in order
 */
export async function uploadSnapshot(
  log: ChangeLog,
  epoch: bigint,
  after: LogStart,
  { folder, signal }: { readonly folder: string; readonly signal?: AbortSignal },
): Promise<{ readonly bytes: number; readonly sha256: Uint8Array }> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  const files = await Promise.all(
    names.map(async (file) => ({ file, size: await sizeOf(join(folder, file)) })),
  );
  const parts = files.reduce((sum, { size }) => sum + partsOf(size), 0);
  const whole = createHash("sha256");
  let part = 0;
  for (const { file, size } of files) {
    const handle = await open(join(folder, file));
    try {
      for (let i = 0; i < partsOf(size); i++, part++) {
        signal?.throwIfAborted();
        const bytes = await readAt(handle, i * PART, Math.min(PART, size - i * PART));
        const sum = sha256(bytes);
        addTo(whole, file, sum);
        await log.addSnapshotPart(epoch, after, { part, parts, file, sha256: sum, bytes });
      }
    } finally {
      await handle.close();
    }
  }
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), sha256: whole.digest() };
}

function addTo(whole: Sum, file: string, sha256: Uint8Array): void {
  whole.update(`${file}\0`).update(sha256);
}

/**
 * Downloads a snapshot to a folder, atomically.
 * @param into - the folder, which must not exist yet, and the expected overall SHA-256, if known; `room` = free bytes on the disk, by
 *   default as reported by the system
 * @throws ClusterError `LOG_INCONSISTENT` if a part is missing, corrupt or out of order
 */
export async function downloadSnapshot(
  log: Pick<ChangeLog, "snapshotPart">,
  place: SnapshotPlace,
  {
    folder,
    sha256: wanted,
    room,
  }: { readonly folder: string; readonly sha256?: Uint8Array | undefined; readonly room?: number },
): Promise<void> {
  if (!(place.parts >= 1 && place.parts <= MAX_PARTS)) throw damaged(place, `it has ${place.parts} parts`);
  const begun = `${folder}.part`;
  await rm(begun, { recursive: true, force: true });
  createFolder(begun);
  try {
    const [needed, free] = [place.parts * PART, room ?? (await roomOn(begun))];
    if (needed > free) throw damaged(place, `it may have ${needed} bytes, and the disk has room for ${free}`);
    const sum = await writeParts(log, place, begun);
    if (wanted !== undefined && !equalBytes(sum, wanted))
      throw damaged(place, `its SHA-256 is ${bytesToHex(sum)}, and ${bytesToHex(wanted)} is wanted`);
    await rename(begun, folder);
  } catch (error) {
    await rm(begun, { recursive: true, force: true });
    throw error;
  }
}

async function writeParts(
  log: Pick<ChangeLog, "snapshotPart">,
  place: SnapshotPlace,
  folder: string,
): Promise<Uint8Array> {
  const whole = createHash("sha256");
  let handle: FileHandle | undefined;
  let current = "";
  const seen = new Set<string>();
  try {
    for (let number = 0; number < place.parts; number++) {
      const part = await log.snapshotPart(place.height, number);
      checkPart(place, part, number);
      if (part.file !== current) {
        if (seen.size === MAX_FILES) throw damaged(place, `it has more than ${MAX_FILES} files`);
        if (seen.has(part.file)) throw damaged(place, `part ${number} belongs to a file that has ended`);
        await closed(handle);
        handle = undefined;
        handle = await open(join(folder, part.file), "wx", 0o600);
        current = part.file;
        seen.add(current);
      }
      await (handle as FileHandle).appendFile(part.bytes);
      addTo(whole, part.file, part.sha256);
    }
    return whole.digest();
  } finally {
    await closed(handle);
  }
}

function checkPart(place: SnapshotPlace, part: SnapshotPart, number: number): void {
  if (part.parts !== place.parts || !NAME.test(part.file) || part.bytes.length > PART)
    throw damaged(place, `part ${number} is none of it`);
  if (!equalBytes(sha256(part.bytes), part.sha256))
    throw damaged(place, `the SHA-256 of part ${number} is another`);
}

async function closed(handle: FileHandle | undefined): Promise<void> {
  await handle?.sync();
  await handle?.close();
}

async function roomOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function sizeOf(path: string): Promise<number> {
  const handle = await open(path);
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) throw new RangeError("a file became shorter while it was read");
    at += bytesRead;
  }
  return bytes;
}

/** Number of parts of a file; one for an empty file. */
function partsOf(size: number): number {
  return Math.max(1, Math.ceil(size / PART));
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

function damaged({ height }: SnapshotPlace, what: string): ClusterError {
  return new ClusterError("LOG_INCONSISTENT", `the snapshot of block ${height} cannot be used: ${what}`, {
    height,
  });
}
