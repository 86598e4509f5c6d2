import { NodeError } from "../../protocol/primitives/errors.ts";

/** Error codes of the change log. */
export type ClusterErrorCode =
  /** The address of the database is malformed. */
  | "LOG_URL"
  /** The database is unreachable or timed out; retried. */
  | "LOG_UNREACHABLE"
  /** The database is full or shutting down; retried. */
  | "LOG_BUSY"
  /** A record is missing before later ones; retried. */
  | "LOG_GAP"
  /** The user or password was rejected. */
  | "LOG_DENIED"
  /** The user lacks a privilege, or the database does not exist. */
  | "LOG_RIGHTS"
  /** The tables are of a newer version than this program knows, or are missing. */
  | "LOG_SCHEMA"
  /** The log belongs to another chain. */
  | "LOG_OTHER_CHAIN"
  /** The tables are inconsistent, as after a manual edit. */
  | "LOG_INCONSISTENT"
  /** A statement failed for another reason. */
  | "LOG_FAILED"
  /** This node's epoch has ended: another node is the writer. */
  | "LOG_FENCED"
  /** Another node holds the lease. */
  | "LEASE_HELD"
  /** Only the writer may do this. */
  | "NOT_WRITER"
  /** A record is invalid. */
  | "BAD_RECORD"
  /** The log no longer has the records after this node's head. */
  | "LOG_TOO_OLD"
  /** This node's blocks cannot be replaced by those of the log. */
  | "DIVERGED";

/** An error of the change log. Database addresses in its message never include the password. */
export class ClusterError extends NodeError<ClusterErrorCode> {
  override name = "ClusterError";
}

const TRANSIENT: ReadonlySet<ClusterErrorCode> = new Set(["LOG_UNREACHABLE", "LOG_BUSY", "LOG_GAP"]);

/** Whether a retry may succeed. */
export function isTransient(error: unknown): error is ClusterError {
  return error instanceof ClusterError && TRANSIENT.has(error.code);
}
