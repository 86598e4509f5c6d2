/** Control, format, surrogate and private characters, and the separators of lines and paragraphs; not line feed and tab. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Untrusted text, safe to show on a terminal: characters that would move the cursor, change colours, ring, write to the
 * clipboard, or hide or reverse text are escaped (`\u001b`). Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, spelledOut);
}

/** The same, on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, spelledOut);
}

/** A JSON text in one line as it may be shown on a terminal: the same characters stand in its strings as escapes of JSON. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

function spelledOut(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
