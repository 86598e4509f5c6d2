/** A function, constructor or modifier of a source, or a contract as a whole. */
export interface Definition {
  /** Of a contract, interface or library; empty for a free function. */
  readonly contract: string;
  /** Absent for the contract itself. */
  readonly function?: string;
  /** Offset of the first byte. */
  readonly start: number;
  readonly end: number;
}

/** Maximum definitions of one source. */
const MAX_DEFINITIONS = 20_000;
const CONTAINERS: ReadonlySet<string> = new Set(["contract", "interface", "library"]);
const FUNCTIONS: ReadonlySet<string> = new Set([
  "function",
  "modifier",
  "constructor",
  "fallback",
  "receive",
]);

interface Open {
  contract: string;
  function: string | undefined;
  start: number;
  /** Levels of braces around it. */
  readonly depth: number;
}

/**
 * The definitions of a Solidity source, found by words and braces, without a syntax tree.
 * @param source - one character per byte (latin1), as source maps count bytes
 */
export function outlineOf(source: string): readonly Definition[] {
  const found: Definition[] = [];
  const open: Open[] = [];
  let depth = 0;
  let pending: Open | undefined;
  let contract = "";
  for (const { text, at } of tokensOf(source)) {
    if (text === "{") {
      depth++;
      if (pending !== undefined) {
        open.push({ ...pending });
        if (pending.function === undefined) contract = pending.contract;
        pending = undefined;
      }
    } else if (text === "}") {
      depth--;
      const top = open.at(-1);
      if (top !== undefined && top.depth === depth) {
        open.pop();
        found.push(definitionOf(top, at + 1));
        if (top.function === undefined) contract = "";
        if (found.length === MAX_DEFINITIONS) break;
      }
    } else if (text === ";") pending = undefined;
    else pending = begun(text, at, { pending, depth, contract });
  }
  return found;
}

function definitionOf({ contract, function: name, start }: Open, end: number): Definition {
  return name === undefined ? { contract, start, end } : { contract, function: name, start, end };
}

/** The definition that a word starts, or names. */
function begun(
  text: string,
  at: number,
  { pending, depth, contract }: { pending: Open | undefined; depth: number; contract: string },
): Open | undefined {
  const isTop = depth === 0;
  const mayBegin = isTop || (depth === 1 && contract !== "");
  if (pending === undefined) {
    if (isTop && CONTAINERS.has(text)) return { contract: "", function: undefined, start: at, depth };
    if (mayBegin && FUNCTIONS.has(text)) return { contract, function: text, start: at, depth };
    return undefined;
  }
  if (pending.function === undefined && pending.contract === "") pending.contract = text;
  else if (pending.function === "function" || pending.function === "modifier") pending.function = text;
  return pending;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/** Words, braces and semicolons outside comments and string literals. */
function* tokensOf(source: string): Generator<Token> {
  for (let at = 0; at < source.length; ) {
    const letter = source[at] as string;
    const skipped = behindComment(source, at) ?? behindText(source, at, letter);
    if (skipped !== undefined) at = skipped;
    else if (isWordLetter(source.charCodeAt(at))) {
      const start = at;
      while (at < source.length && isWordLetter(source.charCodeAt(at))) at++;
      yield { text: source.slice(start, at), at: start };
    } else {
      if (letter === "{" || letter === "}" || letter === ";") yield { text: letter, at };
      at++;
    }
  }
}

function behindComment(source: string, at: number): number | undefined {
  const end = source.startsWith("//", at) ? "\n" : source.startsWith("/*", at) ? "*/" : undefined;
  if (end === undefined) return undefined;
  const found = source.indexOf(end, at + 2);
  return found < 0 ? source.length : found + end.length;
}

function behindText(source: string, at: number, quote: string): number | undefined {
  if (quote !== '"' && quote !== "'") return undefined;
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === quote || source[i] === "\n") return i + 1;
  }
  return source.length;
}

function isWordLetter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x24
  );
}
