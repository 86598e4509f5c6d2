import { IntakeError } from "./errors.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Default limit of nesting, more than any file of this program needs. */
export const FILE_DEPTH = 64;

/**
 * Parses JSON after checking its nesting depth and number of values.
 * @param depth - maximum levels
 * @param maxValues - maximum values: an empty list takes 2 bytes of text, and 32 to 56 of memory
 * @throws IntakeError `TOO_DEEP`, `TOO_LARGE` for too many values; SyntaxError when it is not JSON
 */
export function parseJsonWithin(text: string, depth: number = FILE_DEPTH, maxValues?: number): unknown {
  checkDepth(text, depth, maxValues);
  return JSON.parse(text);
}

/**
 * Why a text is no JSON, without the piece of it that V8 quotes: a file given in the place of another one may have a key in it.
 * @param error - what `parseJsonWithin` threw
 */
export function faultOf(error: unknown): string {
  const { message } = error as Error;
  if (!(error instanceof SyntaxError)) return message;
  const [reason = ""] = message.split(/, (?:\.\.\.)?"/, 1);
  return reason.startsWith('"') || reason === "" ? "it is not JSON" : reason;
}

/**
 * Checks the nesting depth of a JSON text and, by its commas and opening brackets, its number of values.
 * @throws IntakeError `TOO_DEEP`, `TOO_LARGE`
 */
export function checkDepth(text: string, most: number, maxValues = Number.POSITIVE_INFINITY): void {
  let level = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(code)) {
      values++;
      if (++level > most) throw new IntakeError("TOO_DEEP", `JSON of more than ${most} levels`, { most });
    } else if (CLOSING.has(code)) level--;
    else if (code === COMMA) values++;
    if (values > maxValues) throw new IntakeError("TOO_LARGE", `JSON of more than ${maxValues} values`);
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
