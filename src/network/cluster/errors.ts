import { NodeError } from "../../protocol/primitives/errors.ts";

/** What is wrong with a change log, or between it and this node. */
export type ClusterErrorCode =
  /** The address of the database is malformed. */
  | "LOG_URL"
  /** The database cannot be reached, or did not answer in time: it is tried again. */
  | "LOG_UNREACHABLE"
  /** The database has no room, or is shutting down: it is tried again. */
  | "LOG_BUSY"
  /** A record is missing before others: it is looked for again. */
  | "LOG_GAP"
  /** User or password are refused. */
  | "LOG_DENIED"
  /** The user lacks a right, or the database is not there. */
  | "LOG_RIGHTS"
  /** The tables are of a newer version than this program knows, or are missing. */
  | "LOG_SCHEMA"
  /** The log carries another chain. */
  | "LOG_OTHER_CHAIN"
  /** Tables contradict each other, as after an edit by hand. */
  | "LOG_INCONSISTENT"
  /** A statement failed for another reason. */
  | "LOG_FAILED"
  /** This node's epoch is over: another one writes. */
  | "LOG_FENCED"
  /** Another node holds the lease. */
  | "LEASE_HELD"
  /** Only the writer may do this. */
  | "NOT_WRITER"
  /** A record is not what it says it is. */
  | "BAD_RECORD"
  /** The log no longer has the records that follow this node's head, and no snapshot helps. */
  | "LOG_TOO_OLD"
  /** This node's blocks cannot give way to those of the log. */
  | "DIVERGED";

/** An error of the change log. The address of a database appears in none without its password taken out. */
export class ClusterError extends NodeError<ClusterErrorCode> {
  override name = "ClusterError";
}

const PASSING: ReadonlySet<ClusterErrorCode> = new Set(["LOG_UNREACHABLE", "LOG_BUSY", "LOG_GAP"]);

/** Whether it helps to try again later. */
export function isPassing(error: unknown): error is ClusterError {
  return error instanceof ClusterError && PASSING.has(error.code);
}
