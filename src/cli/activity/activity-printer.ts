import { type Names, NO_NAMES } from "../../api/artifacts/names.ts";
import type { CallEvent, NodeEvent, TransactionEvent } from "../../node/index.ts";
import { counted } from "./amounts.ts";
import { EventQueue } from "./event-queue.ts";
import { FoldedLine } from "./folded-line.ts";
import { jsonLine } from "./json-event.ts";
import { NonBlockingOutput, type OutputStream } from "./non-blocking-output.ts";
import { blockLine, callLines, removalLine } from "./other-lines.ts";
import { type Display, displayOf } from "./paint.ts";
import { transactionLines } from "./transaction-lines.ts";
import { wrapLine } from "./wrap-line.ts";

/** How events are printed. */
export interface ActivityPrinterOptions {
  readonly stream: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One JSON object per line. */
  readonly isJson: boolean;
  /** As `--verbosity`: below 2 successful calls are omitted, from 4 on each call has its own line. */
  readonly verbosity: number;
  readonly names?: Names | undefined;
  /** Called before events are printed, which wait for it. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Lines showing where in the source something failed; none if unknown. */
  readonly trace?: ((event: TransactionEvent | CallEvent) => Promise<readonly string[]>) | undefined;
}

/** Interval at which queued events are printed, together. */
const PAUSE_MS = 30;
/** Maximum time spent on formatting lines at a time. */
const SLICE_MS = 10;
/** How long a line that is not redrawn waits for more events to fold in. */
const FOLD_MS = 1000;
const ERASE_LINE = "\u001b[1A\r\u001b[2K";

/** Prints a node's activity to a terminal, pipe or file. Never blocks the node; events beyond a bounded queue are dropped. */
export class ActivityPrinter {
  readonly #options: ActivityPrinterOptions;
  readonly #names: Names;
  readonly #shown: Display;
  readonly #output: NonBlockingOutput;
  readonly #queue = new EventQueue();
  readonly #folded = new FoldedLine();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Whether the folded line is the last one on the screen. */
  #isFoldedLast = false;
  #foldedSince = 0;
  /** The last lines of a call, and how often they were repeated since. */
  #last = { text: "", again: 0 };

  constructor(options: ActivityPrinterOptions) {
    this.#options = options;
    this.#names = options.names ?? NO_NAMES;
    this.#shown = displayOf(options.stream, options.env);
    this.#output = new NonBlockingOutput(options.stream);
  }

  /** Queues an event to be printed soon. */
  print(event: NodeEvent): void {
    this.#queue.push(event);
    this.#schedule();
  }

  /** Called before something else writes to the same terminal. */
  interrupt(): void {
    if (!this.#isFoldedLast) return;
    this.#isFoldedLast = false;
    this.#folded.clear();
  }

  /** Prints what is left, if it can be written at once. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    if (!this.#output.hasRoom) return;
    let text = "";
    for (let event = this.#queue.take(); event !== undefined; event = this.#queue.take())
      text += this.#textOf(event);
    this.#write(text + this.#endRepeats() + this.#endFolded());
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#turn(), PAUSE_MS).unref();
  }

  async #turn(): Promise<void> {
    if (this.#output.hasRoom) await this.#printSome();
    this.#timer = undefined;
    if (!this.#queue.isEmpty || this.#last.again > 0 || (!this.#folded.isEmpty && !this.#isFoldedLast))
      this.#schedule();
  }

  async #printSome(): Promise<void> {
    await this.#options.prepare?.();
    const until = performance.now() + SLICE_MS;
    let text = this.#leftOut();
    while (performance.now() < until && !this.#isClosed) {
      const event = this.#queue.take();
      if (event === undefined) break;
      const trace = await this.#traceOf(event);
      text += this.#textOf(event, trace);
    }
    if (this.#queue.isEmpty && performance.now() - this.#foldedSince > FOLD_MS) text += this.#endRepeats();
    this.#write(text + this.#foldedText());
  }

  async #traceOf(event: NodeEvent): Promise<readonly string[]> {
    const { trace } = this.#options;
    if (trace === undefined || event.kind === "block" || event.kind === "removal") return [];
    const isFailed = event.kind === "call" ? event.error !== undefined : event.receipt.status !== 1;
    return isFailed ? trace(event) : [];
  }

  #leftOut(): string {
    const count = this.#queue.takeLeftOut();
    if (count === 0) return "";
    if (this.#options.isJson) return `${JSON.stringify({ event: "leftOut", events: count })}\n`;
    return `${this.#endFolded()}${this.#shown.paint.dim(`  … ${counted(count, "event")} left out`)}\n`;
  }

  #textOf(event: NodeEvent, trace: readonly string[] = []): string {
    const { isJson, verbosity } = this.#options;
    if (isJson) return jsonLine(event, this.#names, trace);
    if (event.kind === "block" && event.transactions === 1) return "";
    if (event.kind === "block" && event.transactions === 0)
      return this.#fold((line) => line.addEmptyBlock(event.number));
    const isQuiet = event.kind === "call" && event.error === undefined && event.console.length === 0;
    if (isQuiet && verbosity < 2) return "";
    if (isQuiet && verbosity < 4) return this.#fold((line) => line.add(event.method));
    const text = this.#linesOf(event, trace)
      .flatMap((line) => (this.#shown.isTerminal ? wrapLine(line, this.#output.columns) : line))
      .map((line) => `${line}\n`)
      .join("");
    if (event.kind === "call" && text === this.#last.text) {
      this.#last.again++;
      return "";
    }
    const before = this.#endRepeats() + this.#endFolded();
    this.#last = { text: event.kind === "call" ? text : "", again: 0 };
    return before + text;
  }

  #linesOf(event: NodeEvent, trace: readonly string[]): readonly string[] {
    const style = { paint: this.#shown.paint, names: this.#names };
    switch (event.kind) {
      case "transaction":
        return transactionLines(event, style, trace);
      case "call":
        return callLines(event, style, trace);
      case "block":
        return [blockLine(event, style)];
      case "removal":
        return [removalLine(event, style)];
    }
  }

  /** Adds to the folded line, or starts a new one. @returns the text to write first */
  #fold(add: (line: FoldedLine) => boolean): string {
    const before = this.#endRepeats();
    if (this.#folded.isEmpty) this.#foldedSince = performance.now();
    if (add(this.#folded)) return before;
    const ended = before + this.#endFolded();
    this.#foldedSince = performance.now();
    add(this.#folded);
    return ended;
  }

  /** The current folded line, if it is redrawn or has waited long enough. */
  #foldedText(): string {
    if (this.#folded.isEmpty) return "";
    if (!this.#shown.isTerminal)
      return performance.now() - this.#foldedSince > FOLD_MS ? this.#endFolded() : "";
    const text = this.#drawnFolded();
    this.#isFoldedLast = true;
    return text;
  }

  #drawnFolded(): string {
    const line = `  ${this.#folded.text}`;
    const { columns } = this.#output;
    const cut = line.length >= columns ? `${line.slice(0, columns - 2)}…` : line;
    return `${this.#isFoldedLast ? ERASE_LINE : ""}${this.#shown.paint.dim(cut)}\n`;
  }

  /** Ends the folded line: further output is written below it. */
  #endFolded(): string {
    const text = this.#folded.isEmpty ? "" : this.#drawnFolded();
    this.#isFoldedLast = false;
    this.#folded.clear();
    return text;
  }

  #endRepeats(): string {
    const { again } = this.#last;
    if (again === 0) return "";
    this.#last.again = 0;
    return this.#shown.paint.dim(`      the same again ×${again}\n`);
  }

  #write(text: string): void {
    if (text !== "") this.#output.write(text);
  }
}
