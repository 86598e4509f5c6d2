import { isObject, type Json, numberText } from "../../protocol/codec/json/value.ts";

/** Formats a decoded JSON value as Go's `%s` does, for an error text of the reference node. */
export function formatGo(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "boolean") return `%!s(bool=${value})`;
  if (Array.isArray(value)) return `[${value.map(formatGo).join(" ")}]`;
  if (!isObject(value)) return `%!s(float64=${formatFloat(Number(numberText(value)))})`;
  const members = Object.keys(value).sort();
  return `map[${members.map((key) => `${key}:${formatGo(value[key] as Json)}`).join(" ")}]`;
}

/** As in JavaScript, but exponents have at least two digits. */
function formatFloat(value: number): string {
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}
