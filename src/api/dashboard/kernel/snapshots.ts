/** A snapshot of a development chain. */
export interface Snapshot {
  readonly id: string;
  /** Of the chain when it was taken. */
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
}

const MAX_KEPT = 50;
let kept: readonly Snapshot[] = [];

/** Snapshots taken by this page, newest first; a node does not list its own. */
export function snapshots(): readonly Snapshot[] {
  return kept;
}

/** Keeps snapshots while the page is open. @returns the kept ones */
export function keepSnapshots(list: readonly Snapshot[]): readonly Snapshot[] {
  kept = list.slice(0, MAX_KEPT);
  return kept;
}
