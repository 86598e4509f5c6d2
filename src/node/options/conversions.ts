import { resolve } from "node:path";
import { ConfigError, textOf } from "../../platform/config/types.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";

/** An absolute path, independent of the working directory. */
export function absolute(path: string): string {
  return resolve(path);
}

/** Whether a value is an object with members, of this realm or another: no list, no bytes, no date. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Whether a value is an object with these methods, its own or inherited. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

/** Treats 0 and less as no limit. */
export function countOrAny(count: number): number {
  return count > 0 ? count : Number.MAX_SAFE_INTEGER;
}

/** Addresses of tokens; undefined stands for all of them. @throws ConfigError for anything that is not an address */
export function tokensOf(texts: readonly string[]): readonly Uint8Array[] | undefined {
  return texts.includes("all") ? undefined : texts.map(parseToken);
}

/** The address of a database; whether its parts suffice is checked when it is opened. */
export const databaseUrl = textOf(
  "an address like postgres://user@host:5432/database",
  (text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol),
  "URL",
);

function parseToken(text: string): Uint8Array {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(text);
  throw new ConfigError("CONFIG_VALUE", `--gasless.allowed-tokens: ${text} is not an address`);
}
