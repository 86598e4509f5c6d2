const TOKEN_MARKS = new Set([..."!#$%&'*+-.^_`|~"].map((mark) => mark.charCodeAt(0)));

/** Whether a character is allowed in a token. @see RFC 9110, 5.6.2 */
function isTokenCode(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isDigit || isLetter || TOKEN_MARKS.has(code);
}

/** End index of the token starting at an index; the index itself if there is none. */
export function tokenEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isTokenCode(text.charCodeAt(at))) at++;
  return at;
}

/** Whether a text is one token. */
export function isToken(text: string): boolean {
  return text !== "" && tokenEnd(text, 0) === text.length;
}

/** Index of the first character at or after an index that is neither space nor tab. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

/** Whether a line has no control characters except tab (RFC 9110, 5.5); a bare CR or LF is one. */
export function isClean(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return false;
  }
  return true;
}
