import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { preloaded } from "./preloaded.ts";

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
  const [library, orders] = [preloaded("failing-disk", folder), join(folder, "orders")];
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
