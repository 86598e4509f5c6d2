import * as fs from "node:fs";
import { dirname } from "node:path";
import type { RewritableFile } from "../files.ts";
import { removeFile } from "../remove-file.ts";
import { openRegular } from "./regular-file.ts";
import { syncDirectory } from "./sync-directory.ts";

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = fs.constants;

/** Opens a file for `Files.openRewritable`. */
export function openRewritable(path: string): RewritableFile {
  return new SystemRewritable(path);
}

class SystemRewritable implements RewritableFile {
  readonly #path: string;
  #file: number;
  /** Bytes of complete records; a partial write on a full disk may follow them until it is truncated. */
  #size: number;
  #isTorn = false;
  /** Writes since a replacement began. */
  #pendingWrites: Uint8Array[] | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = open(path, 0);
    this.#size = fs.fstatSync(this.#file).size;
  }

  write(bytes: Uint8Array): void {
    if (this.#isTorn) this.#truncate();
    try {
      writeAll(this.#file, bytes);
    } catch (error) {
      this.#isTorn = true;
      this.#truncate();
      throw error;
    }
    this.#size += bytes.length;
    this.#pendingWrites?.push(bytes);
  }

  clear(): void {
    this.#size = 0;
    this.#truncate();
  }

  async replace(bytes: Uint8Array): Promise<void> {
    const draft = `${this.#path}.new`;
    const file = open(draft, O_TRUNC);
    this.#pendingWrites = [];
    try {
      await promised((done) => fs.writeFile(file, bytes, done));
      await promised((done) => fs.fdatasync(file, done));
      // Synchronous up to the rename, so that no record is only in the old file.
      for (const later of this.#pendingWrites) writeAll(file, later);
      fs.renameSync(draft, this.#path);
    } catch (error) {
      fs.closeSync(file);
      removeFile(draft);
      throw error;
    } finally {
      this.#pendingWrites = undefined;
    }
    fs.closeSync(this.#file);
    this.#file = file;
    this.#size = fs.fstatSync(file).size;
    this.#isTorn = false;
    await syncDirectory(dirname(this.#path));
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  #truncate(): void {
    fs.ftruncateSync(this.#file, this.#size);
    this.#isTorn = false;
  }
}

function open(path: string, flags: number): number {
  return openRegular(path, O_APPEND | O_CREAT | O_WRONLY | flags);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
}

function promised(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
