import { isUtf8 } from "node:buffer";
import { hexDigit } from "../../../../protocol/primitives/hex.ts";

/** Single-character escapes. */
const SHORT: ReadonlyMap<number, number> = new Map(
  [...'"\\/']
    .map((char) => [char.charCodeAt(0), char.charCodeAt(0)] as const)
    .concat([
      [0x62, 0x08],
      [0x66, 0x0c],
      [0x6e, 0x0a],
      [0x72, 0x0d],
      [0x74, 0x09],
    ]),
);
const REPLACEMENT = 0xfffd;

/**
 * Decodes the contents of a JSON string to UTF-8 in a buffer of its own, without an intermediate JavaScript string.
 * Lone surrogates become U+FFFD, as in `Buffer.from`. Undefined if it is not a JSON string, or not UTF-8.
 */
export function unescaped(inside: Uint8Array): Uint8Array | undefined {
  if (!isUtf8(inside)) return undefined;
  const target = new Uint8Array(new ArrayBuffer(inside.length)); // an escape is never shorter than its value
  let length = 0;
  for (let at = 0; at < inside.length; ) {
    const byte = inside[at] as number;
    if (byte !== 0x5c) {
      if (byte < 0x20) return undefined;
      target[length++] = byte;
      at++;
      continue;
    }
    const character = readEscape(inside, at);
    if (character === undefined) return undefined;
    length += writeUtf8(character.code, target, length);
    at = character.end;
  }
  return target.subarray(0, length);
}

/** An escape sequence: two bytes, six, or twelve for a surrogate pair. */
function readEscape(bytes: Uint8Array, at: number): { code: number; end: number } | undefined {
  const short = SHORT.get(bytes[at + 1] as number);
  if (short !== undefined) return { code: short, end: at + 2 };
  const unit = codeUnit(bytes, at);
  if (unit === undefined) return undefined;
  if (unit < 0xd800 || unit > 0xdfff) return { code: unit, end: at + 6 };
  const low = unit < 0xdc00 ? codeUnit(bytes, at + 6) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { code: REPLACEMENT, end: at + 6 };
  return { code: 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00), end: at + 12 };
}

/** The number behind `\u`. */
function codeUnit(bytes: Uint8Array, at: number): number | undefined {
  if (bytes[at] !== 0x5c || bytes[at + 1] !== 0x75) return undefined;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const digit = hexDigit(bytes[i]);
    if (digit === undefined) return undefined;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** @returns how many bytes it took */
function writeUtf8(code: number, target: Uint8Array, at: number): number {
  if (code < 0x80) {
    target[at] = code;
    return 1;
  }
  const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  target[at] = ((0xf0 << (3 - more)) & 0xff) | (code >> (6 * more));
  for (let i = 1; i <= more; i++) target[at + i] = 0x80 | ((code >> (6 * (more - i))) & 0x3f);
  return more + 1;
}
