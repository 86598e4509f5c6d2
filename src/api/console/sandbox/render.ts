import { visible, visibleLine } from "../../../protocol/primitives/visible.ts";
import { styleText } from "./style.ts";

/** Objects below this depth are shown as `{...}`. */
const MAX_DEPTH = 8;

/** How to print a value. */
export interface RenderOptions {
  readonly colors: boolean;
}

/**
 * A value as the console prints it: text in double quotes, numbers with all digits, an object with one member per line, sorted,
 * functions last. Multi-line text is printed as it is. The only control sequences in it are our colours.
 */
export function render(value: unknown, options: RenderOptions): string {
  if (typeof value === "string" && value.includes("\n")) return visible(value);
  return show(value, { ...options, indent: "", ancestors: [] });
}

interface Place extends RenderOptions {
  readonly indent: string;
  readonly ancestors: readonly object[];
}

function show(value: unknown, place: Place): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    place.colors ? styleText(style, text) : text;
  switch (typeof value) {
    case "string":
      return paint("green", visible(JSON.stringify(value)));
    case "number":
    case "bigint":
      return paint("yellow", Object.is(value, -0) ? "-0" : String(value));
    case "boolean":
      return paint("yellow", String(value));
    case "undefined":
      return paint("gray", "undefined");
    case "symbol":
      return visible(String(value));
    case "function":
      return paint("cyan", visible(signature(value)));
    case "object":
      return value === null ? paint("bold", "null") : showObject(value, place);
  }
}

function signature(value: object): string {
  const { name, parameters } = value as { name?: string; parameters?: readonly string[] };
  if (parameters !== undefined) return `function(${parameters.join(", ")})`;
  const source = Function.prototype.toString.call(value);
  const list = /^(?:async\s+)?(?:function\b[^(]*)?\(([^)]*)\)/.exec(source)?.[1] ?? "";
  return /^class\b/.test(source) ? `class ${name}` : `function(${list.replace(/\s+/g, " ").trim()})`;
}

function showObject(value: object, place: Place): string {
  if (value instanceof Error) return visible(`${value.name}: ${value.message}`);
  if (value instanceof Date || value instanceof RegExp) return visible(String(value));
  if (value instanceof Uint8Array) return `Uint8Array 0x${Buffer.from(value).toString("hex")}`;
  const isArray = Array.isArray(value);
  if (place.ancestors.includes(value)) return isArray ? "[Circular]" : "{Circular}";
  if (place.ancestors.length >= MAX_DEPTH) return isArray ? "[...]" : "{...}";
  if (value instanceof Map) return showObject(Object.fromEntries(value), place);
  if (value instanceof Set) return showObject([...value], place);
  const within = { ...place, ancestors: [...place.ancestors, value] };
  return isArray ? showArray(value, within) : showMembers(value, within);
}

function showArray(values: readonly unknown[], place: Place): string {
  return `[${values.map((one) => show(one, place)).join(", ")}]`;
}

function showMembers(value: object, place: Place): string {
  const members = Object.keys(value)
    .sort()
    .map((name) => [name, memberOf(value, name)] as const);
  if (members.length === 0) return "{}";
  const indent = `${place.indent}  `;
  const [functions, values] = [true, false].map((wanted) =>
    members.filter(([, one]) => (typeof one === "function") === wanted),
  ) as [typeof members, typeof members];
  const lines = [...values, ...functions].map(
    ([name, one]) => `${indent}${memberName(name)}: ${show(one, { ...place, indent })}`,
  );
  return `{\n${lines.join(",\n")}\n${place.indent}}`;
}

/** A getter may call the node, and fail. */
function memberOf(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch (error) {
    return error;
  }
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : visibleLine(JSON.stringify(name));
}
