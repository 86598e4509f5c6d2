const BACKSLASH = 0x5c;

/** Finds the end of a string in a JSON text. @param begin - index of its first quote @returns index of its last quote, or -1 */
export function endOfString(text: string, begin: number): number {
  let end = begin;
  let escapes: number;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return end;
    escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return end;
}
