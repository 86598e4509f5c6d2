import * as fs from "node:fs";
import { dirname } from "node:path";
import type { RewritableFile } from "../files.ts";
import { syncDirectory } from "./sync-directory.ts";

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = fs.constants;

/** Opens a file for `Files.openRewritable`. */
export function openRewritable(path: string): RewritableFile {
  return new SystemRewritable(path);
}

class SystemRewritable implements RewritableFile {
  readonly #path: string;
  #file: number;
  /** Bytes of whole records; what a full disk took of the next one lies behind them until it is cut off. */
  #size: number;
  #isTorn = false;
  /** What was written since a replacement was begun. */
  #meanwhile: Uint8Array[] | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = open(path, 0);
    this.#size = fs.fstatSync(this.#file).size;
  }

  write(bytes: Uint8Array): void {
    if (this.#isTorn) this.#cut();
    try {
      writeAll(this.#file, bytes);
    } catch (error) {
      this.#isTorn = true;
      this.#cut();
      throw error;
    }
    this.#size += bytes.length;
    this.#meanwhile?.push(bytes);
  }

  clear(): void {
    this.#size = 0;
    this.#cut();
  }

  async replace(bytes: Uint8Array): Promise<void> {
    const draft = `${this.#path}.new`;
    const file = open(draft, O_TRUNC);
    this.#meanwhile = [];
    try {
      await inFull((done) => fs.writeFile(file, bytes, done));
      await inFull((done) => fs.fdatasync(file, done));
      // From here to the new name nothing comes between, so that no record is in the old file alone.
      for (const later of this.#meanwhile) writeAll(file, later);
      fs.renameSync(draft, this.#path);
    } catch (error) {
      fs.closeSync(file);
      fs.rmSync(draft, { force: true });
      throw error;
    } finally {
      this.#meanwhile = undefined;
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

  #cut(): void {
    fs.ftruncateSync(this.#file, this.#size);
    this.#isTorn = false;
  }
}

function open(path: string, flags: number): number {
  return fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | flags, 0o644);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
}

function inFull(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
