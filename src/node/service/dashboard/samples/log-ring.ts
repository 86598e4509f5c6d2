import type { LogLine } from "../../../../api/rpc/spec/dashboard/wire.ts";
import {
  type Data,
  eachLevel,
  LEVELS,
  type Level,
  type Logger,
} from "../../../../platform/telemetry/logger.ts";

/** Number of lines kept. */
const MAX_LINES = 1_000;
/** Characters of a message or of one datum. */
const MAX_TEXT_LENGTH = 2_048;
/** Data of a line. */
const MAX_DATA = 32;
/** The most verbose level that is kept, whatever the log itself shows: `info`. */
const KEPT = 3;

type Listener = (line: LogLine) => void;

/** The newest lines of a log, for people who look at it later. What is logged holds no secrets. */
export class LogRing {
  readonly #now: () => number;
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<Listener>();
  #count = 0;

  /** @param now - epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Oldest first. */
  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** @returns the function that ends it */
  onLine(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A logger that also keeps here what is written to another. */
  around(logger: Logger, room = ""): Logger {
    const at =
      (index: number) =>
      (message: string, data: Data = {}): void => {
        const level = LEVELS[index] as Level;
        logger[level](message, data);
        if (index <= KEPT) this.#keep(level, room, message, data);
      };
    return {
      ...eachLevel(at),
      child: (name) => this.around(logger.child(name), room === "" ? name : `${room}.${name}`),
    };
  }

  #keep(level: Level, room: string, message: string, data: Data): void {
    const entries = Object.entries(data).slice(0, MAX_DATA);
    const line: LogLine = {
      id: ++this.#count,
      at: this.#now(),
      ...{ level, room },
      message: message.slice(0, MAX_TEXT_LENGTH),
      data: Object.fromEntries(
        entries.map(([name, value]) => [name, textOf(value).slice(0, MAX_TEXT_LENGTH)]),
      ),
    };
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    for (const listener of this.#listeners) listener(line);
  }
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "";
}
