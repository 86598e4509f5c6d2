import { compareBytes } from "../../../protocol/primitives/bytes.ts";

/** A row of one layer; null hides the rows of the layers below. */
export type LayerRow = readonly [key: Uint8Array, value: Uint8Array | null];

/**
 * Joins layers of rows in key order into one: for equal keys the row of the earliest layer wins, and deleted ones are dropped.
 * @param layers - newest first, each sorted in the same direction
 */
export function* mergeLayers(
  layers: readonly Iterable<LayerRow>[],
  reverse = false,
): Generator<readonly [Uint8Array, Uint8Array]> {
  const cursors = layers.map((layer) => layer[Symbol.iterator]());
  const rows = cursors.map((cursor) => nextRow(cursor));
  try {
    for (let first = firstRow(rows, reverse); first; first = firstRow(rows, reverse)) {
      const [key, value] = first;
      const owned = value && ([key.slice(), value] as const);
      // The row is handed out before its cursor moves: an engine may reuse the memory of the value.
      if (owned) yield owned;
      const passed = owned ? owned[0] : key.slice();
      for (const [i, row] of rows.entries())
        if (row && compareBytes(row[0], passed) === 0) rows[i] = nextRow(cursors[i] as Iterator<LayerRow>);
    }
  } finally {
    for (const cursor of cursors) cursor.return?.();
  }
}

/** Joins two layers of rows in ascending order of keys; for equal keys the row of the first wins, and deleted ones stay. */
export function* joinLayers(first: Iterable<LayerRow>, second: Iterable<LayerRow>): Generator<LayerRow> {
  const below = second[Symbol.iterator]();
  try {
    let lower = nextRow(below);
    for (const row of first) {
      for (; lower && compareBytes(lower[0], row[0]) < 0; lower = nextRow(below)) yield lower;
      if (lower && compareBytes(lower[0], row[0]) === 0) lower = nextRow(below);
      yield row;
    }
    for (; lower; lower = nextRow(below)) yield lower;
  } finally {
    below.return?.();
  }
}

function nextRow(cursor: Iterator<LayerRow>): LayerRow | undefined {
  const step = cursor.next();
  return step.done ? undefined : step.value;
}

function firstRow(rows: readonly (LayerRow | undefined)[], reverse: boolean): LayerRow | undefined {
  let first: LayerRow | undefined;
  for (const row of rows) {
    if (!row) continue;
    const order = first ? compareBytes(row[0], first[0]) : -1;
    if (!first || (reverse ? order > 0 : order < 0)) first = row;
  }
  return first;
}
