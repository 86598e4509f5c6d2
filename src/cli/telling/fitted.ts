/** Further than the line that they go on from. */
const HANGING = 2;
/** Columns below which lines are left to the terminal. */
const LEAST_COLUMNS = 40;
/** An amount keeps its unit. */
const BREAKS = / (?!KAIA|kei)/;
const ESCAPE = "\u001b";

/**
 * A line as several that fit, broken between words; those that follow stand further in. What is longer than a line stays in one piece, so
 * that it can be copied whole.
 * @param line - with the escape codes of colours, which take no room
 */
export function fitted(line: string, columns: number): readonly string[] {
  if (columns < LEAST_COLUMNS || widthOf(line) <= columns) return [line];
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

/** Letters that are seen. */
function widthOf(text: string): number {
  let [width, isEscape] = [0, false];
  for (const letter of text) {
    if (letter === ESCAPE) isEscape = true;
    if (!isEscape) width++;
    if (letter === "m") isEscape = false;
  }
  return width;
}
