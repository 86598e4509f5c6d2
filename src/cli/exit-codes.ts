/** How a command ends, for scripts and service managers. @see sysexits.h */
export const ExitCode = {
  done: 0,
  failed: 1,
  /** Usage error: an unknown flag or command, or an invalid value. */
  usage: 2,
  /** `EX_SOFTWARE`: a bug in the node ended it; the crash file has the details. */
  crashed: 70,
  /** `EX_CANTCREAT`: files of the data folder cannot be written, for lack of space, or since the file system is read-only. */
  unwritable: 73,
  /** `EX_IOERR`: data on disk is not what was written there. */
  damaged: 74,
  /** `EX_TEMPFAIL`: this node has lost its role in a cluster, such as a writer whose lease another node holds; it may be restarted. */
  fenced: 75,
  /** `EX_NOPERM`: this user may not write to the data folder. */
  forbidden: 77,
  /** `EX_CONFIG`: the configuration is invalid or unsafe. */
  config: 78,
  /** Ctrl-C ended a command before it was done, or a second signal a node before it had shut down cleanly. */
  interrupted: 130,
} as const;
