/** From most severe to most verbose, numbered as the reference's `--verbosity`. */
export const LEVELS = ["crit", "error", "warn", "info", "debug", "trace"] as const;
/** Name of a log level. */
export type Level = (typeof LEVELS)[number];

/** A structured logger: a constant message with separate data. Never pass it a secret. */
export interface Logger {
  crit(message: string, data?: Data): void;
  error(message: string, data?: Data): void;
  warn(message: string, data?: Data): void;
  info(message: string, data?: Data): void;
  debug(message: string, data?: Data): void;
  trace(message: string, data?: Data): void;
  /** A logger whose lines carry the name of their component. */
  child(room: string): Logger;
}

/** Longest text of one value in a log line, in UTF-16 code units. */
const MAX_VALUE = 4096;

/** Structured data of a log line. */
export type Data = Readonly<Record<string, unknown>>;

/** Level, format and destination of a log. */
export interface LogOptions {
  /** 0 (crit) … 5 (trace). */
  readonly verbosity: number;
  readonly format: "text" | "json";
  readonly now: () => number;
  readonly write: (line: string) => void;
}

/** Log levels, which can be changed at run time. */
export interface LogLevels {
  /** For all components; resets the levels of single ones. */
  setVerbosity(level: number): void;
  /**
   * For single components, in addition to the global verbosity.
   * @param levels - by name of the component; a trailing `*` matches any suffix
   */
  setRooms(levels: ReadonlyMap<string, number>): void;
  /** Whether a component's lines of a level are written: lets callers skip expensive messages. */
  isOn(level: Level, room: string): boolean;
}

/** The methods of a logger, created from their levels. */
export function eachLevel(
  at: (level: number) => (message: string, data?: Data) => void,
): Omit<Logger, "child"> {
  return { crit: at(0), error: at(1), warn: at(2), info: at(3), debug: at(4), trace: at(5) };
}

/** A logger with one sink, and the control of its levels. */
export function createLogger(options: LogOptions): { logger: Logger } & LogLevels {
  let verbosity = options.verbosity;
  let rooms: ReadonlyMap<string, number> = new Map();
  const render = options.format === "json" ? renderJson : renderText;
  const build = (room: string): Logger => {
    const at =
      (level: number) =>
      (message: string, data: Data = {}): void => {
        if (level > verbosity && (rooms.size === 0 || level > levelOf(room, rooms))) return;
        options.write(render(new Date(options.now()), LEVELS[level] as Level, room, message, data));
      };
    return { ...eachLevel(at), child: (name) => build(room ? `${room}.${name}` : name) };
  };
  return {
    logger: build(""),
    setVerbosity(level) {
      verbosity = level;
      rooms = new Map();
    },
    setRooms(levels) {
      rooms = levels;
    },
    isOn(level, room) {
      const number = LEVELS.indexOf(level);
      return number <= verbosity || (rooms.size > 0 && number <= levelOf(room, rooms));
    },
  };
}

function levelOf(room: string, rooms: ReadonlyMap<string, number>): number {
  for (const [name, level] of rooms) {
    if (name === room || (name.endsWith("*") && room.startsWith(name.slice(0, -1)))) return level;
  }
  return -1;
}

/** A logger that writes nothing. */
export const silentLogger: Logger = createLogger({
  verbosity: -1,
  format: "text",
  now: () => 0,
  write: () => {},
}).logger;

function renderText(time: Date, level: Level, room: string, message: string, data: Data): string {
  const pairs = Object.entries(data).map(([key, value]) => ` ${key}=${plain(value)}`);
  const clock = time.toISOString().slice(11, 23);
  return `${clock} ${level.toUpperCase().padEnd(5)} ${room ? `[${room}] ` : ""}${message}${pairs.join("")}\n`;
}

function renderJson(time: Date, level: Level, room: string, message: string, data: Data): string {
  const fields = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, jsonSafe(value)]));
  return `${JSON.stringify({ time: time.toISOString(), level, ...(room ? { room } : {}), message, ...fields })}\n`;
}

function jsonSafe(value: unknown): unknown {
  if (typeof value === "string") return shortened(value);
  return typeof value === "bigint" || value instanceof Error ? plain(value) : value;
}

function plain(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(shortened(value.stack ?? value.message));
  if (typeof value === "object" && value !== null) return shortened(JSON.stringify(value));
  const text = shortened(String(value));
  return /[\s"\p{C}]/u.test(text) ? JSON.stringify(text).replace(/\p{C}/gu, escaped) : text;
}

/** Other programs' errors are logged as they say them, and some say megabytes. */
function shortened(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text;
}

/** Escapes control characters, which a terminal would interpret. */
function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
