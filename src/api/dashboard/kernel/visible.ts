/** Characters that are invisible, or change the order of others: controls, format and bidirectional characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/**
 * Untrusted text made safe to show: invisible characters, and those that change the text direction, are written as `\u{202e}`.
 * @param maxLength - maximum number of characters shown
 */
export function visible(text: string, maxLength = 10_000): string {
  const shown = text
    .slice(0, maxLength)
    .replace(HIDDEN, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
  return text.length > maxLength ? `${shown}… (${text.length - maxLength} more)` : shown;
}
