import { crc32 } from "node:zlib";
import type { Files, RewritableFile } from "../../../platform/runtime/files.ts";

/** Name of the file that notes the newest acknowledged record. */
export const ACKNOWLEDGED = "ACKNOWLEDGED";

/** Sequence number (8 bytes, little-endian) and CRC-32 of these (4). */
const ENTRY = 12;
/** Bytes above which the file is emptied for the next entry. */
const MAX_BYTES = 4096;

/**
 * Notes beside the log which record was acknowledged last, so that a log from which whole records were cut off at its end is noticed: it
 * reads as one that was never longer. A note is written after its record is on disk, and never synced: that costs some microseconds
 * and no wait. After a power loss notes may be missing, so that the newest one that is whole names a record that must be there, at least.
 */
export class Acknowledged {
  readonly #files: Files;
  readonly #path: string;
  #file: RewritableFile | undefined;
  #bytes = 0;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#path = `${directory}/${ACKNOWLEDGED}`;
  }

  /** Sequence number of the newest acknowledged record that is noted; 0 if none is. */
  read(): number {
    if (!this.#files.exists(this.#path)) return 0;
    const { buffer, byteOffset, length } = this.#files.read(this.#path);
    const bytes = Buffer.from(buffer, byteOffset, length);
    let newest = 0;
    for (let at = 0; at + ENTRY <= length; at += ENTRY) {
      const isWhole = crc32(bytes.subarray(at, at + 8)) === bytes.readUInt32LE(at + 8);
      if (isWhole) newest = Math.max(newest, Number(bytes.readBigUInt64LE(at)));
    }
    return newest;
  }

  /** Notes a record that is on disk. A note that cannot be written is left out. */
  note(sequence: number): void {
    const entry = Buffer.alloc(ENTRY);
    entry.writeBigUInt64LE(BigInt(sequence));
    entry.writeUInt32LE(crc32(entry.subarray(0, 8)), 8);
    try {
      this.#file ??= this.#open();
      if (this.#bytes + ENTRY > MAX_BYTES) {
        this.#file.clear();
        this.#bytes = 0;
      }
      this.#file.write(entry);
      this.#bytes += ENTRY;
    } catch {
      // a full disk: the log has the record, and an older note is still true
    }
  }

  /** Forgets what was noted: what the log has now counts. */
  forget(): void {
    this.close();
    this.#files.remove(this.#path);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** What an earlier process noted is whole or not, but at an unknown offset. */
  #open(): RewritableFile {
    const file = this.#files.openRewritable(this.#path);
    file.clear();
    this.#bytes = 0;
    return file;
  }
}
