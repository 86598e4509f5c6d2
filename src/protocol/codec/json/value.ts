/** A JSON value as received or sent. `NumberLiteral` stands for numbers that a double cannot preserve as written. */
export type Json = null | boolean | number | string | NumberLiteral | Json[] | { [key: string]: Json };

/** JSON Schema of a type, for the OpenRPC document. */
export type JsonSchema = { readonly [key: string]: Json };

/** A number kept as its source text, such as `1.0`, `1e3` or an integer above 2^53. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Used by `JSON.stringify`; loses what a double cannot hold. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** The source text of a number; undefined for every other kind of value. */
export function numberText(value: Json): string | undefined {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  return value instanceof NumberLiteral ? value.text : undefined;
}

/** Name of a value's kind as the reference's decoder spells it: `number`, `string`, `bool`, `array`, `object`, `null`. */
export function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof NumberLiteral) return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Whether the value is a JSON object (no array, number literal or null). */
export function isObject(value: Json): value is { [key: string]: Json } {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
}

const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPES: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Writes `<`, `>`, `&` and the two line separators of a JSON text as the reference does, as `\u003c` and so on. */
export function escapeHtml(text: string): string {
  if (!ESCAPED.test(text)) return text;
  return text.replace(/[<>&\u2028\u2029]/g, (c) => ESCAPES[c] as string);
}

/** Length up to which it is cheaper to check that a text needs no escaping, such as hex, than to have V8 serialise it. */
const PLAIN = /^\w*$/;
const SHORT = 1024;
/** Values of a list, or members of an object, up to which it is joined here, and levels: of many strings V8 makes a tree. */
const FEW = 64;
const LEVELS = 8;

/** Compact JSON with the reference's escapes. Object members keep their order. */
export function stringify(value: Json, levels = LEVELS): string {
  if (typeof value === "string") return textOf(value);
  if (value === null || typeof value !== "object" || value instanceof NumberLiteral || levels === 0)
    return written(value);
  return Array.isArray(value) ? listOf(value, levels - 1) : objectOf(value, levels - 1);
}

function textOf(value: string): string {
  return value.length <= SHORT && PLAIN.test(value) ? `"${value}"` : written(value);
}

function listOf(list: Json[], levels: number): string {
  if (list.length > FEW) return written(list);
  let text = "[";
  for (let i = 0; i < list.length; i++) text += (i === 0 ? "" : ",") + stringify(list[i] ?? null, levels);
  return `${text}]`;
}

function objectOf(object: { [key: string]: Json }, levels: number): string {
  const names = Object.keys(object);
  if (names.length > FEW) return written(object);
  let text = "{";
  for (const name of names) {
    const value = object[name];
    if (value !== undefined) text += `${text === "{" ? "" : ","}${textOf(name)}:${stringify(value, levels)}`;
  }
  return `${text}}`;
}

/** As V8 writes it, escaped. */
function written(value: Json): string {
  return escapeHtml(JSON.stringify(value));
}
