/** Additional indentation of continuation lines. */
const HANGING = 2;
/** Below this many columns, wrapping is left to the terminal. */
const MIN_COLUMNS = 40;
/** A break, but not before the unit of an amount. */
const BREAKS = / (?!KAIA|kei)/;
const ESCAPE = "\u001b";

/**
 * Wraps a line between words, with a hanging indent. A word longer than a line stays in one piece, so that it can be copied as a
 * whole.
 * @param line - may contain escape codes of colours, which have no width
 */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (columns < MIN_COLUMNS || widthOf(line) <= columns) return [line];
  const indent = line.length - line.trimStart().length;
  const [first = "", ...words] = line.trimStart().split(BREAKS);
  const lines = [`${" ".repeat(indent)}${first}`];
  const further = " ".repeat(indent + HANGING);
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else if (word !== "") lines.push(`${further}${word}`);
  }
  return lines.map((one) => one.trimEnd());
}

/** Number of visible characters. */
function widthOf(text: string): number {
  let [width, isEscape] = [0, false];
  for (const letter of text) {
    if (letter === ESCAPE) isEscape = true;
    if (!isEscape) width++;
    if (letter === "m") isEscape = false;
  }
  return width;
}
