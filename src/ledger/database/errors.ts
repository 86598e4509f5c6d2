import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * The database cannot go on.
 * - `DATABASE_IN_USE`: another process has the folder open
 * - `DATABASE_FORMAT`: written by another version, or not a database of this node
 * - `DATABASE_MISSING`: its file is gone from a folder that still has its log
 * - `LOG_DAMAGED`: an acknowledged part of the log is unreadable or missing
 * - `DATABASE_FAILED`: an earlier write failed (disk full, disk error); nothing is accepted any more
 * - `DATABASE_KEY`: a key longer than an engine can take
 */
export class DatabaseError extends NodeError<
  | "DATABASE_IN_USE"
  | "DATABASE_FORMAT"
  | "DATABASE_MISSING"
  | "LOG_DAMAGED"
  | "DATABASE_FAILED"
  | "DATABASE_KEY"
> {
  override name = "DatabaseError";
}
