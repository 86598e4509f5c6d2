import { parseEnv } from "node:util";
import { faultOf, parseJsonWithin } from "../intake/nesting.ts";
import { readTextWithin } from "../intake/read-file.ts";
import { ConfigError } from "./types.ts";

/** What may enclose a value. */
const QUOTES: readonly string[] = ['"', "'", "`"];
/**
 * Reads a config file: a JSON object of option names to values, or properties (`RPC_ENABLE=1` a line).
 * @param isScript - whether it may have other lines, as the reference's start scripts do; otherwise these are refused, as nothing that
 * they are meant to set, such as a limit or a secret, would be
 * @throws ConfigError when it cannot be read or parsed; texts show no contents
 */
export function readConfigFile(file: string, isScript = false): Record<string, unknown> {
  let text: string;
  try {
    text = readTextWithin(file);
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `cannot read config file ${file}: ${(cause as Error).message}`, {
      file,
    });
  }
  if (!/^\s*[[{]/.test(text)) {
    if (!isScript) checkLines(text, file);
    return parseEnv(text) as Record<string, string>;
  }
  let json: unknown;
  try {
    json = parseJsonWithin(text);
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `config file ${file}: ${faultOf(cause)}`, { file });
  }
  return checkSettings(json, file);
}

/** Rejects lines of properties that set nothing: `parseEnv` would skip them. */
function checkLines(text: string, file: string): void {
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    if (/^\s*(?:#|$)/.test(line)) continue;
    const value = valueIn(line);
    if (value === undefined)
      throw new ConfigError(
        "CONFIG_FILE",
        `config file ${file}: line ${i + 1} is neither JSON nor a setting such as RPC_ENABLE=1`,
        { file, line: i + 1 },
      );
    // A quoted value goes on to its closing quote; without one it ends with the line.
    const quote = value.charAt(0);
    if (!QUOTES.includes(quote) || value.includes(quote, 1)) continue;
    const end = lines.findIndex((later, at) => at > i && later.includes(quote));
    if (end > i) i = end;
  }
}

/** The value of a line such as `NAME=value` or `export NAME=value`; undefined for any other line. */
function valueIn(line: string): string | undefined {
  const at = line.indexOf("=");
  const words = line.slice(0, Math.max(0, at)).trim().split(" ");
  const name = words.length === 2 && words[0] === "export" ? words[1] : words.length === 1 ? words[0] : "";
  return name ? line.slice(at + 1).trim() : undefined;
}

function checkSettings(json: unknown, file: string): Record<string, unknown> {
  if (json === null || typeof json !== "object" || Array.isArray(json))
    throw new ConfigError("CONFIG_FILE", `config file ${file}: an object of settings is expected`, { file });
  for (const [name, value] of Object.entries(json)) {
    const words: unknown[] = Array.isArray(value) ? value : [value];
    if (words.every((word) => ["string", "number", "boolean"].includes(typeof word))) continue;
    const text = `config file ${file}: ${name} is not a text, a number, true, false or a list of them`;
    throw new ConfigError("CONFIG_FILE", text, { file, name });
  }
  return json as Record<string, unknown>;
}
