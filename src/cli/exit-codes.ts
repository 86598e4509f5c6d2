/** How a command ends, for scripts and service managers. @see sysexits.h */
export const ExitCode = {
  done: 0,
  failed: 1,
  /** Called wrongly: an unknown flag or command, a value that cannot be. */
  usage: 2,
  /** `EX_SOFTWARE`: a defect of the node ended it; a crash file tells more. */
  crashed: 70,
  /** `EX_IOERR`: what is on the disk is not what was written there. */
  damaged: 74,
  /** `EX_CONFIG`: configured so that it must not run. */
  config: 78,
  /** A second signal ended it before it had stopped in order. */
  interrupted: 130,
} as const;
