import { NodeError } from "../../protocol/primitives/errors.ts";

/** An invalid setting; `message` is one line for people. */
export class ConfigError extends NodeError<
  "CONFIG_UNKNOWN" | "CONFIG_VALUE" | "CONFIG_FILE" | "CONFIG_CONFLICT"
> {
  override name = "ConfigError";
}

/** How the value of an option is written on a command line, in an environment variable or in a file. */
export interface OptionType<T> {
  /** Shown in help: `PORT`, `LIST`, …; empty for switches, which need no value. */
  readonly placeholder: string;
  /** @throws Error whose message says what is expected, as in "a number from 0 to 65535" */
  parse(text: string): T;
  /** The accepted texts of an enumeration; absent = not an enumeration. */
  readonly words?: readonly string[];
  /** The inverse of `parse`, for people; absent = `String`. */
  format?(value: T): string;
}

function expected(what: string): never {
  throw new Error(what);
}

/** A switch: 1, true, yes or on; 0, false, no, off or empty. A flag without a value is on. */
export const boolean: OptionType<boolean> = {
  placeholder: "",
  parse(text) {
    if (/^(1|true|yes|on)$/i.test(text)) return true;
    if (/^(0|false|no|off|)$/i.test(text)) return false;
    return expected("true or false");
  },
};

/** Any text. */
export const string: OptionType<string> = { placeholder: "TEXT", parse: (text) => text };
/** A path; not empty. */
export const path: OptionType<string> = { placeholder: "PATH", parse: (text) => text || expected("a path") };

/** Words separated by commas; whitespace around them is dropped. */
export const list: OptionType<readonly string[]> = {
  placeholder: "LIST",
  parse: (text) =>
    text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
};

/** Whole number in an inclusive range. */
export function integer(min: number, max: number, placeholder = "N"): OptionType<number> {
  return {
    placeholder,
    parse(text) {
      const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) expected(`a whole number from ${min} to ${max}`);
      return value;
    },
  };
}

/** A TCP or UDP port; 0 picks a free one. */
export const port: OptionType<number> = integer(0, 65535, "PORT");

/** Decimal or 0x number. */
export const bigNumber: OptionType<bigint> = {
  placeholder: "N",
  parse: (text) =>
    /^([0-9]+|0x[0-9a-fA-F]+)$/.test(text) ? BigInt(text) : expected("a decimal or 0x number"),
};

/** Decimal or 0x number in an inclusive range. */
export function bigNumberFrom(min: bigint, max: bigint): OptionType<bigint> {
  return {
    placeholder: "N",
    parse(text) {
      const value = bigNumber.parse(text);
      return value >= min && value <= max ? value : expected(`a number from ${min} to ${max}`);
    },
  };
}

const KEI_PER_COIN = 10n ** 18n;
/** Even for ten thousand accounts, far below 2^256 kei. */
const MAX_COINS = 10n ** 40n;

/** Amount in the chain's coin (10^18 kei), decimals allowed. @returns kei */
export const coins: OptionType<bigint> = {
  placeholder: "KAIA",
  parse(text) {
    const match = /^([0-9]+)(?:\.([0-9]{1,18}))?$/.exec(text);
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
  return {
    ...duration,
    parse(text) {
      const ms = duration.parse(text);
      return ms >= minMs && ms <= maxMs
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
  parse: (text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : expected("0x and 64 hex digits")),
};

/** An address of 20 bytes in hex, with or without 0x; returned in lower case with 0x. */
export const address: OptionType<string> = {
  placeholder: "ADDRESS",
  parse: (text) =>
    /^(0x)?[0-9a-fA-F]{40}$/.test(text)
      ? `0x${text.replace(/^0x/, "").toLowerCase()}`
      : expected("an address of 40 hex digits"),
};

/** One word of a fixed set. */
export function oneOf<const W extends string>(...words: readonly W[]): OptionType<W> {
  return {
    placeholder: words.join("|"),
    words,
    parse: (text) => words.find((word) => word === text) ?? expected(`one of ${words.join(", ")}`),
  };
}
