/** Identity of a caller, as far as scheduling needs it. */
export interface Standing {
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
  /** What all calls of a client share: they take turns with those of others, not among themselves; absent = the signal. */
  readonly client?: unknown;
  /** Whether it is the owner, on the IPC socket or in this process. */
  readonly isLocal?: boolean | undefined;
}
