/** Literals and comments, whose text is not code; then single brackets. */
const PIECES =
  /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[([{]|[)\]}]/g;

/**
 * Whether more lines must follow before a text can be evaluated: a bracket is open, or the compiler reports
 * that the text ended too early.
 */
export function isIncomplete(source: string, syntaxError: Error): boolean {
  if (/Unexpected end of input|Unterminated template/.test(syntaxError.message)) return true;
  // a quote that is not closed on its line: no further line helps
  if (/Invalid or unexpected token/.test(syntaxError.message)) return false;
  return openBrackets(source) > 0;
}

function openBrackets(source: string): number {
  let depth = 0;
  for (const [piece] of source.matchAll(PIECES)) {
    if (/^[([{]$/.test(piece)) depth++;
    else if (/^[)\]}]$/.test(piece)) depth--;
  }
  return depth;
}

/** String and template literals of a text, without their quotes. */
export function literalsOf(source: string): string[] {
  return [...source.matchAll(PIECES)]
    .map(([piece]) => piece)
    .filter((piece) => /^["'`]/.test(piece))
    .map((piece) => piece.slice(1, -1));
}

const GETTER_CALL = /\b([A-Za-z]\w*)\.([A-Za-z]\w*)\s*\(\s*\)/;
const PIECES_AND_CALLS = new RegExp(
  `${PIECES.source.replace("|[([{]|[)\\]}]", "")}|${GETTER_CALL.source}`,
  "g",
);

/**
 * Drops the parentheses of `eth.blockNumber()` and similar names, which are properties in the console: both spellings work.
 * @param isGetter - whether a module has a property of this name
 */
export function dropGetterParentheses(
  source: string,
  isGetter: (module: string, name: string) => boolean,
): string {
  return source.replace(PIECES_AND_CALLS, (piece: string, module?: string, name?: string) =>
    module !== undefined && name !== undefined && isGetter(module, name) ? `${module}.${name}` : piece,
  );
}

/**
 * The texts to try until one compiles: an object literal before a block of statements, and for top-level `await` an async
 * function around it.
 * @param isTyped - whether the text may be an object literal
 */
export function interpretations(source: string, isTyped: boolean): string[] {
  const text = source.trim();
  const interpretations = [text];
  if (isTyped && text.startsWith("{") && !text.endsWith(";")) interpretations.unshift(`(${text}\n)`);
  if (!/\bawait\b/.test(text)) return interpretations;
  const declaration = /^(?:var|let|const)\s+([A-Za-z_$][\w$]*)\s*=([\s\S]*)$/.exec(text);
  const expression = (declaration?.[2] ?? text).replace(/;\s*$/, "");
  const assigned = declaration
    ? `void (globalThis.${declaration[1]} = (${expression}\n))`
    : `(${expression}\n)`;
  return [...interpretations, `(async () => ${assigned})()`, `(async () => {${text}\n})()`];
}
