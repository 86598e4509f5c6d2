/** Letters that are not seen, or that change the order of those that are: controls, format and bidirectional characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/**
 * Untrusted text made safe to show: invisible characters, and those that change the text direction, are written as `\u{202e}`.
 * @param most - characters that are shown; the rest is counted
 */
export function visible(text: string, most = 10_000): string {
  const shown = text
    .slice(0, most)
    .replace(HIDDEN, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
  return text.length > most ? `${shown}… (${text.length - most} more)` : shown;
}
