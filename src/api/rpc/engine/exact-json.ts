import { wire } from "../../../protocol/codec/json/object.ts";
import type { Schema } from "../../../protocol/codec/json/schema.ts";
import { escapeHtml, type Json } from "../../../protocol/codec/json/value.ts";
import { JsonText } from "../spec/values/json-text.ts";

/** JSON whose integers may exceed a double's precision, as the reference writes amounts. */
export type ExactJson = null | boolean | number | string | bigint | readonly ExactJson[] | ExactObject;
/** An object whose integers are written with all their digits. */
export interface ExactObject {
  readonly [member: string]: ExactJson;
}

/** A result whose integers are written with all their digits. */
export function exact<T extends ExactJson>(title: string, type: "object" | "array" = "object"): Schema<T> {
  return {
    ...wire<T>(title, { type }),
    // Schemas encode to JSON values, and this text stands for one that no value can hold: the server passes it on as it is.
    encode: (value) => new JsonText(escapeHtml(exactText(value))) as unknown as Json,
  };
}

/** Compact JSON; bigints become plain digits. */
export function exactText(value: ExactJson): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as ExactObject);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`).join(",")}}`;
}
