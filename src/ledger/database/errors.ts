import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * The database cannot continue.
 * - `DATABASE_IN_USE`: another process has the folder open, or another copy is being made
 * - `DATABASE_FORMAT`: written by another version, or not a database of this node
 * - `DATABASE_MISSING`: its file is gone from a folder that still has its log
 * - `LOG_DAMAGED`: an acknowledged part of the log is unreadable or missing
 * - `DATABASE_DAMAGED`: what was read is not what was written; the table, the key and the file are named
 * - `DATABASE_FAILED`: a write failed (disk full, disk error) and is being tried again; nothing is accepted meanwhile
 * - `DATABASE_KEY`: a key longer than an engine can take
 */
export class DatabaseError extends NodeError<
  | "DATABASE_IN_USE"
  | "DATABASE_FORMAT"
  | "DATABASE_MISSING"
  | "LOG_DAMAGED"
  | "DATABASE_DAMAGED"
  | "DATABASE_FAILED"
  | "DATABASE_KEY"
> {
  override name = "DatabaseError";
}
