import { NodeError } from "../../protocol/primitives/errors.ts";

/** What is wrong with a change log, or between it and this node. */
export type ClusterErrorCode =
  /** The address of the database is malformed. */
  | "LOG_URL"
  /** The database cannot be reached, or did not answer in time; retried. */
  | "LOG_UNREACHABLE"
  /** The database is full or shutting down; retried. */
  | "LOG_BUSY"
  /** A record is missing before later ones; it is looked for again. */
  | "LOG_GAP"
  /** The user or password was rejected. */
  | "LOG_DENIED"
  /** The user lacks a right, or the database does not exist. */
  | "LOG_RIGHTS"
  /** The tables are of a newer version than this program knows, or are missing. */
  | "LOG_SCHEMA"
  /** The log belongs to another chain. */
  | "LOG_OTHER_CHAIN"
  /** Tables contradict each other, as after an edit by hand. */
  | "LOG_INCONSISTENT"
  /** A statement failed for another reason. */
  | "LOG_FAILED"
  /** This node's epoch has ended: another node is the writer. */
  | "LOG_FENCED"
  /** Another node holds the lease. */
  | "LEASE_HELD"
  /** Only the writer may do this. */
  | "NOT_WRITER"
  /** A record's content contradicts what it claims to be. */
  | "BAD_RECORD"
  /** The log no longer has the records that follow this node's head, and no snapshot helps. */
  | "LOG_TOO_OLD"
  /** This node's blocks cannot be replaced by those of the log. */
  | "DIVERGED";

/** An error of the change log. Database addresses in its message never include the password. */
export class ClusterError extends NodeError<ClusterErrorCode> {
  override name = "ClusterError";
}

const PASSING: ReadonlySet<ClusterErrorCode> = new Set(["LOG_UNREACHABLE", "LOG_BUSY", "LOG_GAP"]);

/** Whether a later retry may succeed. */
export function isPassing(error: unknown): error is ClusterError {
  return error instanceof ClusterError && PASSING.has(error.code);
}
