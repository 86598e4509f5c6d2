import { NumberLiteral } from "../../../protocol/codec/json/value.ts";

const MAX_LENGTH = 80;

/**
 * JSON text of a value for people, cut after 80 characters. Each nesting level uses at least one, so depth costs no
 * stack.
 */
export function shown(value: unknown): string {
  const text = written(value, MAX_LENGTH);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 3)}...`;
}

/** Texts that cannot be a passphrase or a key: hex digits, at most as many as in an address. */
const PUBLIC_TEXT = /^0x[0-9a-fA-F]{0,40}$/;

/** The same for a value that may be a misplaced secret: of strings, arrays and objects only the kind. */
export function shownIfPublic(value: unknown): string {
  if (typeof value === "string") return PUBLIC_TEXT.test(value) ? shown(value) : "another text";
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return shown(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/** The text, complete when it is not longer than `room`, else its beginning. */
function written(value: unknown, room: number): string {
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const key of Object.keys(value)) {
    if (text.length > room) return text;
    if (text.length > 1) text += ",";
    if (!isList) text += `${JSON.stringify(key)}:`;
    text += written((value as Record<string, unknown>)[key], room - text.length);
  }
  return text + (isList ? "]" : "}");
}
