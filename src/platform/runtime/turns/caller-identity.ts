/** Identity of a caller, as far as scheduling needs it. */
export interface CallerIdentity {
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Shared by all calls of a client, which is scheduled as one; absent = the signal. */
  readonly client?: unknown;
  /** Whether it is the node's owner: on the IPC socket, or in this process. */
  readonly isLocal?: boolean | undefined;
}
