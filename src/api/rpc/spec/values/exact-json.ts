import { wire } from "../../../../protocol/codec/json/object.ts";
import type { Schema } from "../../../../protocol/codec/json/schema.ts";
import { escapeHtml, isObject, type Json, NumberLiteral } from "../../../../protocol/codec/json/value.ts";

/** JSON whose integers may exceed a double's precision, as the reference writes amounts. */
export type ExactJson = null | boolean | number | string | bigint | readonly ExactJson[] | ExactObject;
/** An object whose integers are written with all their digits. */
export interface ExactObject {
  readonly [member: string]: ExactJson;
}

/** A result whose text is written by the schema itself, because no JSON value holds it exactly. */
export interface ExactSchema<T> extends Schema<T> {
  /** The value as JSON text, used instead of `encode`. */
  text(value: T): string;
}

/** Whether a schema writes the text of its results itself. */
export function isExact(schema: Schema<unknown>): schema is ExactSchema<unknown> {
  return "text" in schema;
}

/** A result whose integers are written with all their digits. */
export function exact<T extends ExactJson>(
  title: string,
  type: "object" | "array" = "object",
): ExactSchema<T> {
  return {
    ...wire<T>(title, { type }),
    text: (value) => escapeHtml(exactText(value)),
  };
}

/** As many digits as 2^256 has: `BigInt` takes seconds for the digits that fit into the response of a hostile node. */
const WHOLE = /^-?\d{1,78}$/;

/** Whether a number is whole, and no longer than amounts are. */
export function isWhole(text: string): boolean {
  return WHOLE.test(text);
}

/** A JSON value that was parsed exactly; whole numbers that a double cannot hold become bigints, unless they are longer than amounts. */
export function exactOf(value: Json): ExactJson {
  if (value instanceof NumberLiteral) return isWhole(value.text) ? BigInt(value.text) : value.toJSON();
  if (Array.isArray(value)) return value.map(exactOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactOf(member)]));
}

/** Compact JSON; bigints become plain digits. */
export function exactText(value: ExactJson): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as ExactObject);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`).join(",")}}`;
}
