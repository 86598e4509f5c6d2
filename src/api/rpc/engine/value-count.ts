/** Maximum JSON values in a request: in a single parse each costs the same, however short its text. */
export const MAX_VALUES = 50_000;
/** The same if they are read one by one: for numbers that a double cannot represent exactly, or ids with escapes. */
export const MAX_EXACT_VALUES = 20_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** What stands before a value: a comma, or the bracket that opens a list or an object. */
const BEFORE_VALUE = [0x2c, 0x5b, 0x7b] as const;

/**
 * Whether a request has more values than the limit, by its commas and opening brackets: nested lists have no commas. Those in
 * strings do not count.
 */
export function hasMoreValues(request: Buffer, max: number): boolean {
  if (request.length <= max) return false;
  let count = 0;
  for (const byte of BEFORE_VALUE)
    for (let at = request.indexOf(byte); at >= 0; at = request.indexOf(byte, at + 1))
      if (++count > max) return hasMoreOutside(request, max);
  return false;
}

/** Counts them outside strings, in text that need not be valid JSON. */
function hasMoreOutside(request: Buffer, max: number): boolean {
  const [comma, list, object] = BEFORE_VALUE;
  let count = 0;
  for (let at = 0; at < request.length; at++) {
    const byte = request[at];
    if (byte === QUOTE) at = endOfString(request, at);
    else if ((byte === comma || byte === list || byte === object) && ++count > max) return true;
  }
  return false;
}

/** @returns position of the closing quotation mark; past the end if there is none */
function endOfString(request: Buffer, start: number): number {
  for (let at = start + 1; at < request.length; at++) {
    if (request[at] === BACKSLASH) at++;
    else if (request[at] === QUOTE) return at;
  }
  return request.length;
}
