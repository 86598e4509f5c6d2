import { NodeError } from "../../protocol/primitives/errors.ts";
import { MAX_UINT64 } from "../../protocol/primitives/integers.ts";

/** An invalid setting; `message` is one line for people. */
export class ConfigError extends NodeError<
  "CONFIG_UNKNOWN" | "CONFIG_VALUE" | "CONFIG_FILE" | "CONFIG_CONFLICT"
> {
  override name = "ConfigError";
}

/** What a program may pass for an option, instead of a text. */
export interface Accepted {
  /** Completes "gasCap must be …". */
  readonly what: string;
  readonly test: (value: unknown) => boolean;
}

/** How the value of an option is written on a command line, in an environment variable or in a file. */
export interface OptionType<T> {
  /** Shown in help: `PORT`, `LIST`, …; empty for switches, which need no value. */
  readonly placeholder: string;
  /** @throws Error whose message says what is expected, as in "a number from 0 to 65535" */
  parse(text: string): T;
  /** The values that `parse` returns, under the same bounds. */
  readonly accepts: Accepted;
  /** The accepted texts of an enumeration; absent = not an enumeration. */
  readonly words?: readonly string[];
  /** The inverse of `parse`, for people; absent = `String`. */
  format?(value: T): string;
}

function expected(what: string): never {
  throw new Error(what);
}

/** Only values of a primitive type. */
function only(type: "boolean" | "string", what: string): Accepted {
  return { what, test: (value) => typeof value === type };
}

/** Whole numbers in an inclusive range. */
function wholeFrom(min: number, max: number, unit = ""): Accepted {
  const isWithin = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return { what: `a whole number${unit} from ${min} to ${max}`, test: isWithin };
}

function bigintFrom(min: bigint, max: bigint): Accepted {
  const isWithin = (value: unknown): boolean => typeof value === "bigint" && value >= min && value <= max;
  return { what: `a bigint from ${min} to ${max}`, test: isWithin };
}

/** A switch: 1, true, yes or on; 0, false, no, off or empty. A flag without a value is on. */
export const boolean: OptionType<boolean> = {
  placeholder: "",
  accepts: only("boolean", "true or false"),
  parse(text) {
    if (/^(1|true|yes|on)$/i.test(text)) return true;
    if (/^(0|false|no|off|)$/i.test(text)) return false;
    return expected("true or false");
  },
};

/** Characters of an option's text. */
const MAX_TEXT = 4096;
/** Elements of an option's list. */
const MAX_LIST = 10_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not occur
const CONTROL = /[\0-\x1f\x7f]/;

/**
 * A text that passes a test. Its length is bounded before the test runs, so that the test may take time that depends on it.
 * @param what - completes "signer must be …"
 */
export function textOf(
  what: string,
  isValid: (text: string) => boolean,
  placeholder = "TEXT",
): OptionType<string> {
  const test = (value: unknown): boolean =>
    typeof value === "string" && value.length <= MAX_TEXT && !value.includes("\0") && isValid(value);
  return {
    placeholder,
    accepts: { what, test },
    parse: (text) => (test(text) ? text : expected(what)),
  };
}

/** Any text on one line. */
export const string: OptionType<string> = textOf(
  `a text of at most ${MAX_TEXT} characters, none of them a control character`,
  (text) => !CONTROL.test(text),
);

/** A path; not empty. */
export const path: OptionType<string> = textOf("a path", (text) => text !== "", "PATH");

/** A host name or an IP address to listen on; empty for all addresses. */
export const host: OptionType<string> = textOf("a host name or an IP address", (text) =>
  /^[\w.:%[\]-]{0,255}$/.test(text),
);

/** A URL of HTTP, with or without TLS. */
export const httpUrl: OptionType<string> = textOf(
  "a URL beginning with http:// or https://",
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  "URL",
);

/** Whether a value is a list of at most 10,000 elements that pass a test. */
export function isListOf(value: unknown, test: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(test);
}

/** Words separated by commas; whitespace around them is dropped. */
export const list: OptionType<readonly string[]> = listOf("a list of texts", (text) => text !== "");

/** A list of words that pass a test, written as for `list`. */
export function listOf(what: string, isValid: (text: string) => boolean): OptionType<readonly string[]> {
  const word = textOf(what, (text) => !CONTROL.test(text) && isValid(text));
  const test = (value: unknown): boolean => isListOf(value, word.accepts.test);
  return {
    placeholder: "LIST",
    accepts: { what, test },
    parse(text) {
      const words = text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
      return test(words) ? words : expected(what);
    },
  };
}

/** Whole number in an inclusive range. */
export function integer(min: number, max: number, placeholder = "N"): OptionType<number> {
  const accepts = wholeFrom(min, max);
  return {
    placeholder,
    accepts,
    parse(text) {
      const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      return accepts.test(value) ? value : expected(accepts.what);
    },
  };
}

/** A TCP or UDP port; 0 picks a free one. */
export const port: OptionType<number> = integer(0, 65535, "PORT");

/** Decimal or 0x number, far longer than any that is accepted; the time of `BigInt` grows with the square of the digits. */
const NUMBER = /^([0-9]{1,100}|0x[0-9a-fA-F]{1,100})$/;

/** Decimal or 0x number in an inclusive range. */
export function bigNumberFrom(min: bigint, max: bigint): OptionType<bigint> {
  const accepts = bigintFrom(min, max);
  return {
    placeholder: "N",
    accepts,
    parse(text) {
      const value = NUMBER.test(text) ? BigInt(text) : undefined;
      return value !== undefined && accepts.test(value) ? value : expected(`a number from ${min} to ${max}`);
    },
  };
}

/** Decimal or 0x number of 64 bits. */
export const bigNumber: OptionType<bigint> = bigNumberFrom(0n, MAX_UINT64);

const KEI_PER_COIN = 10n ** 18n;
/** Even for ten thousand accounts, far below 2^256 kei. */
const MAX_COINS = 10n ** 40n;

/** Amount in the chain's coin (10^18 kei), decimals allowed. @returns kei */
export const coins: OptionType<bigint> = {
  placeholder: "KAIA",
  accepts: bigintFrom(0n, MAX_COINS * KEI_PER_COIN - 1n),
  parse(text) {
    const match = text.length <= MAX_TEXT ? /^([0-9]+)(?:\.([0-9]{1,18}))?$/.exec(text) : null;
    if (!match) return expected("an amount such as 10000 or 0.5");
    const whole = BigInt(match[1] as string);
    if (whole >= MAX_COINS) return expected("an amount below 10^40");
    return whole * KEI_PER_COIN + BigInt((match[2] ?? "").padEnd(18, "0"));
  },
  format(kei) {
    const decimals = (kei % KEI_PER_COIN).toString().padStart(18, "0").replace(/0+$/, "");
    return `${kei / KEI_PER_COIN}${decimals && `.${decimals}`}`;
  },
};

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration such as `90s`, `5m`, `1h30m`; a bare number is seconds. @returns milliseconds */
export const duration: OptionType<number> = {
  placeholder: "TIME",
  accepts: {
    what: "a number of milliseconds, 0 or more",
    test: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  },
  parse(text) {
    if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
    if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return expected("a time such as 90s, 5m or 1h30m");
    let total = 0;
    for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ms|s|m|h)/g)) {
      total += Number(amount) * (DURATION_MS[unit as string] as number);
    }
    return total;
  },
  format(ms) {
    if (ms === 0) return "0s";
    const [unit, size] = Object.entries(DURATION_MS).findLast(([, size]) => ms % size === 0) ?? ["ms", 1];
    return `${ms / size}${unit}`;
  },
};

/** Longest delay of a Node timer; longer ones fire after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A duration for a timer, at least `minMs`. @returns milliseconds */
export function timer(minMs: number, maxMs: number = MAX_TIMER_MS): OptionType<number> {
  const accepts = wholeFrom(minMs, maxMs, " of milliseconds");
  return {
    ...duration,
    accepts,
    parse(text) {
      const ms = duration.parse(text);
      return accepts.test(ms)
        ? ms
        : expected(
            `a time from ${minMs}ms to ${maxMs === MAX_TIMER_MS ? "24 days" : duration.format?.(maxMs)}`,
          );
    },
  };
}

/** 32 bytes as `0x` and 64 hex digits, in lower case. */
export const hash: OptionType<string> = {
  placeholder: "HASH",
  accepts: {
    what: "0x and 64 hex digits",
    test: (value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value),
  },
  parse: (text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : expected("0x and 64 hex digits")),
};

/** A byte string of this length. */
export function bytesOf(size: number, what: string): Accepted {
  return { what, test: (value) => value instanceof Uint8Array && value.length === size };
}

/** An address of 20 bytes in hex, with or without 0x; returned in lower case with 0x. Programs pass its bytes. */
export const address: OptionType<string> = {
  placeholder: "ADDRESS",
  accepts: bytesOf(20, "an address of 20 bytes"),
  parse: (text) =>
    /^(0x)?[0-9a-fA-F]{40}$/.test(text)
      ? `0x${text.replace(/^0x/, "").toLowerCase()}`
      : expected("an address of 40 hex digits"),
};

function wordList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** One word of a fixed set. */
export function oneOf<const W extends string>(...words: readonly W[]): OptionType<W> {
  return {
    placeholder: words.join("|"),
    words,
    accepts: { what: wordList(words), test: (value) => words.some((word) => word === value) },
    parse: (text) => words.find((word) => word === text) ?? expected(`one of ${words.join(", ")}`),
  };
}
