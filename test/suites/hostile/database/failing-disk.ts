import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Skipped } from "../row.ts";

const SOURCE = fileURLToPath(new URL("./failing-disk.c", import.meta.url));

/** A disk controlled by the test. */
export interface Disk {
  /** Environment of a node on this disk. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes every write and sync of the database fail from the n-th call on (0: the next). */
  failFrom(n: number, errno: number): void;
  /** Calls that failed so far. */
  failed(): number;
  mend(): void;
}

/** Preloads our own library, in which system calls fail. */
export function compiledDisk(folder: string, dataDir: string): Disk {
  const [library, orders] = [join(folder, "failing-disk.so"), join(folder, "orders")];
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], { stdio: "pipe" });
  } catch (error) {
    throw new Skipped(`no C compiler makes the failing disk: ${(error as Error).message.slice(0, 100)}`);
  }
  const file = openSync(orders, "wx+");
  const say = (pass: number, errno: number): void => {
    const bytes = Buffer.alloc(12);
    bytes.writeInt32LE(pass, 0);
    bytes.writeInt32LE(errno, 4);
    writeSync(file, bytes, 0, bytes.length, 0);
  };
  say(-1, constants.errno.EIO);
  process.once("exit", () => closeSync(file));
  return {
    env: { LD_PRELOAD: library, FAILING_DISK: orders, FAILING_FOLDER: dataDir },
    failFrom: say,
    failed: () => {
      const bytes = Buffer.alloc(12);
      readSync(file, bytes, 0, bytes.length, 0);
      return bytes.readInt32LE(8);
    },
    mend: () => say(-1, constants.errno.EIO),
  };
}
