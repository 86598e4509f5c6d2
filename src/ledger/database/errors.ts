import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * The database cannot continue.
 * - `DATABASE_IN_USE`: another process has the folder open, or another copy is being made
 * - `DATABASE_FORMAT`: written by another version, or not a database of this node
 * - `DATABASE_MISSING`: its file is gone from a folder that still has a log, or the folder itself is gone
 * - `LOG_DAMAGED`: an acknowledged part of the log is unreadable or missing
 * - `DATABASE_DAMAGED`: the data read is not what was written; names the table, the key and the file
 * - `DATABASE_FAILED`: a write failed (disk full, disk error) and is being retried; no others are accepted meanwhile
 * - `DATABASE_UNWRITABLE`: the files cannot be created or opened: a full disk, a read-only file system, missing rights, something else in
 *   place of the folder; `details.code` is the system's
 * - `DATABASE_KEY`: a key longer than engines support
 */
export class DatabaseError extends NodeError<
  | "DATABASE_IN_USE"
  | "DATABASE_FORMAT"
  | "DATABASE_MISSING"
  | "LOG_DAMAGED"
  | "DATABASE_DAMAGED"
  | "DATABASE_FAILED"
  | "DATABASE_UNWRITABLE"
  | "DATABASE_KEY"
> {
  override name = "DatabaseError";
}
