import { hexDigit } from "../../protocol/primitives/hex.ts";

/** Code as a compiler wrote it. Values known only at deployment are wildcards: library addresses, immutable values. */
export interface CodePattern {
  /** Zero at wildcards. */
  readonly bytes: Uint8Array;
  /** Starts and ends of the wildcards, in order. */
  readonly open: readonly (readonly [start: number, end: number])[];
  /** In the compressed form of solc; empty if the compiler gave none. */
  readonly sourceMap: string;
}

/** Longest code accepted: eight times what a chain allows. */
const MAX_BYTES = 8 * 24_576;
/** Length of a library address, and of its placeholder, in hex digits. */
const LINK_DIGITS = 40;
/** Maximum number of wildcards; code with more is rejected. */
const MAX_OPEN = 2000;
/** First byte of a library that rejects direct calls: it compares its own address. */
const PUSH20 = 0x73;
const CALL_PROTECTION = 21;

/** @param immutables - as compilers write them: lists of `{ start, length }` by number */
export function readCode(object: unknown, sourceMap: unknown, immutables: unknown): CodePattern | undefined {
  if (typeof object !== "string" || object.length > 2 * MAX_BYTES + 2) return undefined;
  const text = object.startsWith("0x") ? object.slice(2) : object;
  if (text.length === 0 || text.length % 2 !== 0) return undefined;
  const open: [number, number][] = [];
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < text.length; at += 2) {
    if (text[at] === "_") {
      open.push([at / 2, (at + LINK_DIGITS) / 2]);
      at += LINK_DIGITS - 2;
      continue;
    }
    const high = hexDigit(text.charCodeAt(at));
    const low = hexDigit(text.charCodeAt(at + 1));
    if (high === undefined || low === undefined) return undefined;
    bytes[at / 2] = 16 * high + low;
  }
  if (bytes[0] === PUSH20 && bytes.subarray(1, CALL_PROTECTION).every((byte) => byte === 0))
    open.push([1, CALL_PROTECTION]);
  open.push(...placesOf(immutables));
  if (open.length > MAX_OPEN) return undefined;
  for (const [start, end] of open) bytes.fill(0, start, end);
  open.sort(([a], [b]) => a - b);
  return { bytes, open, sourceMap: typeof sourceMap === "string" ? sourceMap : "" };
}

function placesOf(immutables: unknown): [number, number][] {
  if (typeof immutables !== "object" || immutables === null) return [];
  return Object.values(immutables)
    .flat()
    .slice(0, MAX_OPEN + 1)
    .flatMap((place: unknown): [number, number][] => {
      const { start, length } = (place ?? {}) as { readonly start?: unknown; readonly length?: unknown };
      if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length)) return [];
      return [[start as number, (start as number) + (length as number)]];
    });
}

/** How much of a pattern some code matches. */
export type Agreement = "whole" | "without metadata" | "none";

/** Compares deployed code. Comments and file names affect only the metadata at its end. */
export function compareCode({ bytes, open }: CodePattern, code: Uint8Array): Agreement {
  if (code.length !== bytes.length) return "none";
  const end = bytes.length - metadataSize(bytes);
  if (!agrees(bytes, open, code, 0, end)) return "none";
  return agrees(bytes, open, code, end, bytes.length) ? "whole" : "without metadata";
}

/** Whether some init code is the pattern followed by arguments. */
export function isBeginning({ bytes, open }: CodePattern, initCode: Uint8Array): boolean {
  if (initCode.length < bytes.length) return false;
  return agrees(bytes, open, initCode, 0, bytes.length - metadataSize(bytes));
}

function agrees(
  bytes: Uint8Array,
  open: CodePattern["open"],
  code: Uint8Array,
  first: number,
  end: number,
): boolean {
  let next = 0;
  for (let at = first; at < end; at++) {
    while (next < open.length && (open[next] as readonly [number, number])[1] <= at) next++;
    const [from = end, to = end] = open[next] ?? [];
    if (at >= from && at < to) at = to - 1;
    else if (bytes[at] !== code[at]) return false;
  }
  return true;
}

/** Length of the CBOR metadata, with its length field, that solc appends to code; 0 if there is none. */
function metadataSize(bytes: Uint8Array): number {
  const size = 256 * (bytes.at(-2) ?? 0) + (bytes.at(-1) ?? 0) + 2;
  const isMap = ((bytes[bytes.length - size] ?? 0) & 0xf0) === 0xa0;
  return isMap && size < bytes.length && size < 512 ? size : 0;
}
