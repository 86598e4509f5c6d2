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

/** What a stream can show. */
export interface Shown {
  /** Whether lines can be redrawn. */
  readonly isTerminal: boolean;
  readonly paint: Paint;
}

/**
 * What a stream can show: colours in a terminal only, and not where `NO_COLOR` is set or `TERM` is `dumb`.
 * @see https://no-color.org
 */
export function shownBy(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Shown {
  const isTerminal = stream.isTTY === true && env["TERM"] !== "dumb";
  return { isTerminal, paint: isTerminal && !env["NO_COLOR"] ? COLOURS : NO_PAINT };
}

/** Most characters in one line. */
const MOST_LETTERS = 600;

/** Untrusted text as part of a line: control characters are escaped, and long text is cut. */
export function safe(text: string, most = MOST_LETTERS): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return visibleLine(cut);
}
