/**
 * Joins lists by key, each older one with the newer of its key. Takes time proportional to the smaller number of keys, and to the
 * numbers of the shorter lists. Both maps are handed over: one of them is changed and returned.
 */
export function joinLists<K>(older: Map<K, number[]>, newer: Map<K, number[]>): Map<K, number[]> {
  const [few, many] = newer.size <= older.size ? [newer, older] : [older, newer];
  for (const [key, list] of few) {
    const other = many.get(key);
    if (other === undefined) many.set(key, list);
    else many.set(key, few === newer ? joined(other, list) : joined(list, other));
  }
  return many;
}

function joined(older: number[], newer: number[]): number[] {
  if (newer.length > older.length) return older.concat(newer);
  for (const value of newer) older.push(value);
  return older;
}
