/** Letters that are not seen, or that change the order of those that are: controls, format and bidirectional characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/**
 * A text of somebody else as it may be shown: what is invisible, or turns the direction of what follows, is written as `\u{202e}`.
 * @param most - characters that are shown; the rest is counted
 */
export function visible(text: string, most = 10_000): string {
  const shown = text
    .slice(0, most)
    .replace(HIDDEN, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
  return text.length > most ? `${shown}… (${text.length - most} more)` : shown;
}
