/** Characters that are invisible, change the order of others, or are half of one: controls, format characters, blank letters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
/** More marks on one letter than any script needs; stacked by the thousand they cover other lines, and do not wrap. */
const STACKED = /(\p{M}{4})(\p{M}+)/gu;
/** What `JSON.stringify` may have written as an escape. */
const ESCAPE = "\\u";

/**
 * Untrusted text made safe to show: invisible characters, those that change the text direction, and marks stacked on a letter are
 * written as `\u{202e}`.
 * @param maxLength - maximum number of characters shown
 */
export function visible(text: string, maxLength = 10_000): string {
  const shown = text
    .slice(0, maxLength)
    .replace(HIDDEN, escaped)
    .replace(STACKED, (_, kept: string, rest: string) => kept + [...rest].map(escaped).join(""));
  return text.length > maxLength ? `${shown}… (${text.length - maxLength} more)` : shown;
}

/**
 * Parses what the node sent. Every text in it is made `visible`, apart from line breaks and tabs: whatever a screen does with a
 * text, in a label, a tooltip or a heading, it cannot mislead.
 * @throws SyntaxError
 */
export function parseResponse(body: string): unknown {
  if (!body.includes(ESCAPE) && visible(body, Number.POSITIVE_INFINITY) === body) return JSON.parse(body);
  return JSON.parse(body, (_, value) => (typeof value === "string" ? readable(value) : value));
}

function readable(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : visible(part, Number.POSITIVE_INFINITY)))
    .join("");
}

function escaped(letter: string): string {
  return `\\u{${(letter.codePointAt(0) as number).toString(16)}}`;
}
