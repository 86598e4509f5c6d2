import type { Option, OptionSet } from "./option.ts";
import { boolean } from "./types.ts";

/** Help lines of a set of options: flag, placeholder, text and default, aligned. */
export function optionHelp(options: OptionSet): string[] {
  const rows = Object.values(options).map((o) => {
    const placeholder = o.type === boolean ? "" : ` ${o.type.placeholder}`;
    const fallback =
      o.secret || o.default === undefined || o.default === "" || o.default === false
        ? ""
        : ` [${formatValue(o, o.default)}]`;
    return [`  --${o.flag}${placeholder}`, `${o.doc}${fallback}`] as const;
  });
  const width = Math.min(38, Math.max(0, ...rows.map(([left]) => left.length)) + 2);
  return rows.map(([left, right]) =>
    left.length >= width ? `${left}\n${" ".repeat(width)}${right}` : left.padEnd(width) + right,
  );
}

/** A value as it would be written on the command line. */
export function formatValue<T>({ type }: Pick<Option<T>, "type">, value: T | undefined): string {
  if (value === undefined) return "";
  if (type.format) return type.format(value);
  return Array.isArray(value) ? value.join(",") : String(value);
}
