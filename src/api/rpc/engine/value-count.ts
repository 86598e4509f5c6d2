/** Values of JSON that a request may have: what is parsed in one piece costs as much for each, however short its text. */
export const MOST_VALUES = 50_000;
/** The same where they are read one by one: for a number that a double would not repeat, or an id with escapes. */
export const MOST_EXACT_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** Whether a request has more values than so many, by its commas. Those in strings do not count. */
export function hasMoreValues(request: Buffer, most: number): boolean {
  if (request.length <= most) return false;
  let count = 0;
  for (let at = request.indexOf(COMMA); at >= 0; at = request.indexOf(COMMA, at + 1))
    if (++count >= most) return hasMoreOutside(request, most);
  return false;
}

/** Counts commas outside of strings, of what need be no JSON. */
function hasMoreOutside(request: Buffer, most: number): boolean {
  let count = 0;
  for (let at = 0; at < request.length; at++) {
    const byte = request[at];
    if (byte === QUOTE) at = endOfString(request, at);
    else if (byte === COMMA && ++count >= most) return true;
  }
  return false;
}

/** @returns where the closing quotation mark stands; behind the end where there is none */
function endOfString(request: Buffer, start: number): number {
  for (let at = start + 1; at < request.length; at++) {
    if (request[at] === BACKSLASH) at++;
    else if (request[at] === QUOTE) return at;
  }
  return request.length;
}
