import { option } from "../../platform/config/option.ts";
import { boolean } from "../../platform/config/types.ts";
import { mebibytes } from "../activity/amounts.ts";
import { displayOf } from "../activity/paint.ts";
import type { Terminal } from "../command.ts";

/** Option of the commands that show their progress. */
export const quiet = option({
  flag: "quiet",
  aliases: ["q"],
  type: boolean,
  default: false,
  doc: "Shows no progress.",
});

/** Items per second since the line was created, as in `1,234`. */
export type Rate = (items: number) => string;

/** A progress line. */
export interface ProgressLine {
  /**
   * @param fraction - 0…1
   * @param text - called only when the line is drawn
   */
  update(fraction: number, text: (rate: Rate) => string): void;
  /** Clears the line in a terminal until an update redraws it, so that other text can be written. */
  clear(): void;
}

/** Where progress is shown. */
export type ProgressOutput = Pick<Terminal, "env" | "stderr"> & { readonly isQuiet: boolean };

/** Work that finishes within this time shows no progress. */
const DELAY_MS = 1_000;
/** Interval between redraws in a terminal, and between lines elsewhere. */
const REDRAW_MS = 100;
const LINE_MS = 10_000;

const WIDTH = 16;
/** Assumed columns of a terminal if unknown. */
const COLUMNS = 80;

/**
 * Shows progress, rate and remaining time: one line redrawn in a terminal, a line every ten seconds elsewhere, nothing in the
 * first second or if quiet.
 * @param now - milliseconds of a clock
 */
export function createProgressLine(
  { stderr, env, isQuiet }: ProgressOutput,
  now: () => number = Date.now,
): ProgressLine {
  const { isTerminal } = displayOf(stderr, env);
  const started = now();
  let next = started + (isTerminal ? DELAY_MS : LINE_MS);
  let isDrawn = false;
  const rateAt =
    (ms: number): Rate =>
    (items) =>
      formatCount(Math.round((items * 1000) / Math.max(1, ms)));
  return {
    update(fraction, text) {
      const at = now();
      if (isQuiet || at < next) return;
      next = at + (isTerminal ? REDRAW_MS : LINE_MS);
      const part = Math.min(1, Math.max(0, fraction));
      const left = part > 0 ? ((at - started) / part) * (1 - part) : Number.NaN;
      const bar = "█".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, "░");
      const line = `${bar} ${(part * 100).toFixed(1).padStart(5)} %  ${formatSeconds(left)} left  ${text(rateAt(at - started))}`;
      // a line that wraps could not be redrawn
      const fitting = line.slice(0, (stderr.columns || COLUMNS) - 1);
      stderr.write(isTerminal ? `\r${fitting}\u001b[K` : `${line}\n`);
      isDrawn = isTerminal;
    },
    clear() {
      if (isDrawn) stderr.write("\r\u001b[K");
      isDrawn = false;
    },
  };
}

/** Shows the progress of indexing the logs of a chain written by an older version. */
export function createIndexingLine(
  output: ProgressOutput,
  now?: () => number,
): (block: number, head: number) => void {
  let line: ProgressLine | undefined;
  let first = 0;
  return (block, head) => {
    // an interrupted index does not start at block 0
    if (line === undefined) first = block;
    line ??= createProgressLine(output, now);
    if (block === head) line.clear();
    else
      line.update(
        (block - first) / (head - first),
        (rate) => `logs indexed up to block ${block}, ${rate(block - first)} blocks/s`,
      );
  };
}

/** Shows how much of a file has been copied. @param size - of the file, in bytes */
export function createCopyLine(
  output: ProgressOutput,
  size: number,
  now?: () => number,
): { update(copied: number): void; clear(): void } {
  const line = createProgressLine(output, now);
  return {
    update: (copied) =>
      line.update(copied / size, (rate) => {
        const done = mebibytes(copied);
        return `${Math.round(done)} MiB copied, ${rate(done)} MiB/s`;
      }),
    clear: () => line.clear(),
  };
}

/** A whole number with commas between its thousands. Not by `toLocaleString`, which reads all locales first: 12 ms. */
export function formatCount(count: number): string {
  const digits = String(count);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(",");
}

function formatSeconds(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
