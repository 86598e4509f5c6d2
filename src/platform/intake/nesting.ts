import { IntakeError } from "./errors.ts";

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Default limit of nesting, more than any file of this program needs. */
export const FILE_DEPTH = 64;

/**
 * Parses JSON after checking its nesting depth.
 * @param depth - maximum levels
 * @throws IntakeError `TOO_DEEP`; SyntaxError when it is not JSON
 */
export function parseJsonWithin(text: string, depth: number = FILE_DEPTH): unknown {
  checkDepth(text, depth);
  return JSON.parse(text);
}

/** Checks the nesting depth of a JSON text. @throws IntakeError `TOO_DEEP` */
export function checkDepth(text: string, most: number): void {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(code) && ++level > most)
      throw new IntakeError("TOO_DEEP", `JSON of more than ${most} levels`, { most });
    else if (CLOSING.has(code)) level--;
  }
}

/** Index of the closing quote of the string starting at `start`; the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
    from = end + 1;
  }
}
