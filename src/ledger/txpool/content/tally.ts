/** What became of transactions since the pool was opened, as the reference node counts it. */
export interface PoolTally {
  /** Refused by a rule. */
  invalid: number;
  /** Refused because the pool is full. */
  refused: number;
  /** Refused because the pool is full of better paid ones. */
  underpriced: number;
  readonly pending: ListTally;
  readonly queued: ListTally;
}

/** The same for one kind of list. */
export interface ListTally {
  /** Replaced by one of the same nonce and a higher price. */
  replaced: number;
  /** Did not replace the one of the same nonce. */
  discarded: number;
  /** Dropped because there were too many. */
  limited: number;
  /** Dropped because they could no longer be paid for. */
  unpayable: number;
}

/** A tally of nothing. */
export function emptyTally(): PoolTally {
  const list = (): ListTally => ({ replaced: 0, discarded: 0, limited: 0, unpayable: 0 });
  return { invalid: 0, refused: 0, underpriced: 0, pending: list(), queued: list() };
}
