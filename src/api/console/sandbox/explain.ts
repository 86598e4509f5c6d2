import { visible } from "../../../protocol/primitives/visible.ts";
import { styleText } from "./style.ts";

/** Options for explaining an error. */
export interface ErrorOptions {
  readonly colors: boolean;
  /** Name of the file whose code ran; only its stack frames are shown. */
  readonly file?: string;
  /** Suggests a name for an unknown one, such as `eth.getBalace`. */
  readonly suggest?: (name: string) => string | undefined;
}

/**
 * An error as the console prints it: name, message and code, then a hint, then the stack frames of the user's own file.
 */
export function explain(error: unknown, { colors, file, suggest }: ErrorOptions): string {
  const paint = (style: "red" | "yellow" | "gray", text: string) =>
    colors ? styleText(style, visible(text)) : visible(text);
  if (!(error instanceof Error)) return paint("red", `Uncaught ${String(error)}`);
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const head = `${error.name}: ${error.message}${typeof code === "number" ? ` (code ${code})` : ""}`;
  const hint = hintOf(error, data, suggest);
  const lines = [paint("red", head)];
  if (hint !== undefined) lines.push(hintLine(hint, colors));
  if (typeof data === "string") lines.push(paint("yellow", `  data: ${data}`));
  for (const place of stackFramesIn(error, file)) lines.push(paint("gray", `  ${place}`));
  return lines.join("\n");
}

/** A hint as the console prints it, below the message it belongs to. */
export function hintLine(hint: string, colors: boolean): string {
  const text = visible(`  hint: ${hint}`);
  return colors ? styleText("yellow", text) : text;
}

function hintOf({ message }: Error, data: unknown, suggest: ErrorOptions["suggest"]): string | undefined {
  const given = (data as { readonly hint?: unknown } | null | undefined)?.hint;
  if (typeof given === "string") return given;
  if (/Cannot mix BigInt/.test(message))
    return "amounts are bigints: write 1n instead of 1, or Number(amount) where precision does not matter.";
  const called = /^(\S+) is not a function$/.exec(message)?.[1];
  const unknown = called ?? /^(\S+) is not defined$/.exec(message)?.[1];
  const meant = unknown === undefined ? undefined : suggest?.(unknown);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return called === undefined ? undefined : `see help("${called.split(".")[0]}").`;
}

function stackFramesIn({ stack = "" }: Error, file: string | undefined): string[] {
  if (file === undefined) return [];
  return stack
    .split("\n")
    .filter((line) => line.includes(file) && /^\s*at /.test(line))
    .map((line) => line.trim())
    .slice(0, 5);
}
