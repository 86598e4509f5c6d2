import { resolve } from "node:path";
import { ConfigError } from "../../platform/config/types.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";

/** An absolute path, independent of the working directory. */
export function absolute(path: string): string {
  return resolve(path);
}

/** Whether a value is an object with members, no list and no bytes. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Treats 0 and less as no limit. */
export function countOrAny(count: number): number {
  return count > 0 ? count : Number.MAX_SAFE_INTEGER;
}

/** Addresses of tokens; undefined stands for all of them. @throws ConfigError for anything that is not an address */
export function tokensOf(texts: readonly string[]): readonly Uint8Array[] | undefined {
  return texts.includes("all") ? undefined : texts.map(parseToken);
}

/** @throws ConfigError unless it is a URL of a node that answers over HTTP */
export function httpUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new ConfigError("CONFIG_VALUE", "--fork-url: a URL beginning with http:// or https:// is expected");
}

function parseToken(text: string): Uint8Array {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(text);
  throw new ConfigError("CONFIG_VALUE", `--gasless.allowed-tokens: ${text} is not an address`);
}
