import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small disk in memory, if this process may mount one. */
export class SmallDisk {
  readonly #mount: string;

  private constructor(mount: string) {
    this.#mount = mount;
  }

  /** @param bytes - its capacity @returns undefined if it cannot be mounted */
  static mount(bytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), "kairn-disk-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=755`, "tmpfs", folder], {
        stdio: "pipe",
      });
      execFileSync("mkdir", ["-m", "700", join(folder, "data")]);
      return new SmallDisk(folder);
    } catch {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
  }

  /** An empty folder on it. */
  get folder(): string {
    return join(this.#mount, "data");
  }

  /** Fills it up. */
  fill(): void {
    const file = openSync(this.#filler, "w");
    try {
      for (const piece = Buffer.alloc(64 << 10); ; ) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    execFileSync("umount", ["-l", this.#mount], { stdio: "pipe" });
    rmSync(this.#mount, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.#mount, "filler");
  }
}
