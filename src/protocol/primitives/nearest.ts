/** Maximum adjacent characters that may differ: a typo, not another word. */
const MAX_DIFFERENT = 3;

/** The name closest to a text: equal but for case, or for a few characters in one place. */
export function nearest(text: string, names: Iterable<string>): string | undefined {
  const action = text.length - text.search(/[_ ]/) - 1;
  let least = Math.min(MAX_DIFFERENT, Math.floor(action / 2)) + 1;
  let found: string | undefined;
  for (const name of names) {
    const difference = differing(text, name);
    if (difference >= least) continue;
    least = difference;
    found = name;
  }
  return found;
}

/** Characters of the longer text between the common prefix and suffix, ignoring case; 1 for two that changed places. */
function differing(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && isSameLetter(a, start, b, start)) start++;
  let end = 0;
  while (end < shorter - start && isSameLetter(a, a.length - 1 - end, b, b.length - 1 - end)) end++;
  const rest = Math.max(a.length, b.length) - start - end;
  const isSwapped =
    rest === 2 &&
    a.length === b.length &&
    isSameLetter(a, start, b, start + 1) &&
    isSameLetter(a, start + 1, b, start);
  return isSwapped ? 1 : rest;
}

function isSameLetter(a: string, i: number, b: string, j: number): boolean {
  return (a.charCodeAt(i) | 32) === (b.charCodeAt(j) | 32);
}
