import { visibleLine } from "../../protocol/primitives/visible.ts";

/** Colours of a terminal, or none. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

const COLOURS: Paint = { bold: code(1), dim: code(2), red: code(31), green: code(32) };
const NO_PAINT: Paint = { bold: same, dim: same, red: same, green: same };

function code(number: number): (text: string) => string {
  return (text) => `\u001b[${number}m${text}\u001b[0m`;
}

function same(text: string): string {
  return text;
}

/** What a stream can display. */
export interface Display {
  /** Whether lines can be redrawn. */
  readonly isTerminal: boolean;
  readonly paint: Paint;
}

/**
 * What a stream can display: colours in a terminal only, and not if `NO_COLOR` is set or `TERM` is `dumb`.
 * @see https://no-color.org
 */
export function displayOf(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Display {
  const isTerminal = stream.isTTY === true && env["TERM"] !== "dumb";
  return { isTerminal, paint: isTerminal && !env["NO_COLOR"] ? COLOURS : NO_PAINT };
}

/** Maximum characters of untrusted text in one line. */
const MAX_LENGTH = 600;

/** Makes untrusted text safe for a line: control characters are escaped, and long text is cut. */
export function safe(text: string, max = MAX_LENGTH): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return visibleLine(cut);
}
