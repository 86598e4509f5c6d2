import { compareBytes } from "../../../protocol/primitives/bytes.ts";

/** A row of one layer; null is a tombstone, which hides the row in the layers below. */
export type LayerRow = readonly [key: Uint8Array, value: Uint8Array | null];

/**
 * Merges layers of rows in key order: for equal keys the row of the first layer wins, and tombstones are dropped.
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
      // The row is yielded before its cursor advances: an engine may reuse the memory of the value.
      if (owned) yield owned;
      const passed = owned ? owned[0] : key.slice();
      for (const [i, row] of rows.entries())
        if (row && compareBytes(row[0], passed) === 0) rows[i] = nextRow(cursors[i] as Iterator<LayerRow>);
    }
  } finally {
    for (const cursor of cursors) cursor.return?.();
  }
}

/** Merges two layers in ascending key order; for equal keys the row of the first wins, and tombstones are kept. */
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
