/** A snapshot of a development chain. */
export interface Snapshot {
  readonly id: string;
  /** Of the chain when it was taken. */
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
}

const MOST_KEPT = 50;
let kept: readonly Snapshot[] = [];

/** Snapshots that this page took, newest first; a node tells of none. */
export function snapshots(): readonly Snapshot[] {
  return kept;
}

/** Keeps a list of snapshots while the page is open. @returns what is kept */
export function keepSnapshots(list: readonly Snapshot[]): readonly Snapshot[] {
  kept = list.slice(0, MOST_KEPT);
  return kept;
}
