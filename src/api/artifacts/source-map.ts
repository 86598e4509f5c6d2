import type { CodePattern } from "./code-pattern.ts";

/** Where an instruction comes from. */
export interface SourceRange {
  /** In bytes of the source. */
  readonly start: number;
  readonly length: number;
  /** Number of the source; -1 for code that the compiler generated. */
  readonly source: number;
  /** `i` for a jump into a function, `o` for one out of it. */
  readonly jump: string;
}

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const decoded = new WeakMap<CodePattern, readonly SourceRange[]>();

/**
 * The source of the instruction at an offset in code; undefined without a source map.
 * @see https://docs.soliditylang.org/en/latest/internals/source_mappings.html
 */
export function rangeAt(code: CodePattern, place: number): SourceRange | undefined {
  if (code.sourceMap === "") return undefined;
  let ranges = decoded.get(code);
  if (ranges === undefined) {
    ranges = decode(code);
    decoded.set(code, ranges);
  }
  return ranges[instructionAt(code.bytes, place)];
}

function instructionAt(bytes: Uint8Array, place: number): number {
  let index = 0;
  for (let at = 0; at < place && at < bytes.length; index++) {
    const op = bytes[at] as number;
    at += op >= PUSH1 && op <= PUSH32 ? op - PUSH1 + 2 : 1;
  }
  return index;
}

/** Omitted fields repeat those of the previous entry. There are no more instructions than bytes. */
function decode({ bytes, sourceMap }: CodePattern): readonly SourceRange[] {
  const ranges: SourceRange[] = [];
  let last: SourceRange = { start: 0, length: 0, source: -1, jump: "-" };
  for (let from = 0; from <= sourceMap.length && ranges.length < bytes.length; ) {
    const end = sourceMap.indexOf(";", from);
    const entry = sourceMap.slice(from, end < 0 ? sourceMap.length : end);
    if (entry !== "") {
      const [start = "", length = "", source = "", jump = ""] = entry.split(":", 4);
      last = {
        start: numberOr(start, last.start),
        length: numberOr(length, last.length),
        source: numberOr(source, last.source),
        jump: jump || last.jump,
      };
    }
    ranges.push(last);
    if (end < 0) break;
    from = end + 1;
  }
  return ranges;
}

function numberOr(text: string, before: number): number {
  if (text === "") return before;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : before;
}
