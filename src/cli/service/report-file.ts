import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { UsageError } from "../command.ts";

/** Absent on Windows. */
const { O_NONBLOCK = 0 }: { readonly O_NONBLOCK?: number } = constants;
const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

/**
 * Writes what a node reports to programs, for its owner alone, into a file, a device or a pipe that somebody reads.
 * @param flag - that named the path
 * @throws UsageError with flag and path, also for a pipe without a reader, which would be waited for without end
 */
export function writeReport(flag: string, path: string, text: string): void {
  try {
    const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENXIO" ? "it is a socket, or a pipe that nobody reads" : message;
    throw new UsageError(`${flag} ${path} cannot be written: ${reason}`);
  }
}
