/** Counters of refused and dropped transactions since the pool was opened, as the reference node counts them. */
export interface PoolTally {
  /** Refused by a rule. */
  invalid: number;
  /** Refused because the pool is full. */
  refused: number;
  /** Refused because the pool is full of higher-priced ones. */
  underpriced: number;
  readonly pending: ListTally;
  readonly queued: ListTally;
}

/** Counters for one kind of list. */
export interface ListTally {
  /** Replaced by a transaction with the same nonce. */
  replaced: number;
  /** Refused in favour of the existing transaction with the same nonce. */
  discarded: number;
  /** Dropped to stay within a limit. */
  limited: number;
  /** Dropped because they could no longer be paid for, or broke another rule on the new state. */
  unpayable: number;
}

/** A tally with all counters at zero. */
export function emptyTally(): PoolTally {
  const list = (): ListTally => ({ replaced: 0, discarded: 0, limited: 0, unpayable: 0 });
  return { invalid: 0, refused: 0, underpriced: 0, pending: list(), queued: list() };
}
