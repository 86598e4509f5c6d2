import { parseEnv } from "node:util";
import { parseJsonWithin } from "../intake/nesting.ts";
import { readTextWithin } from "../intake/read-file.ts";
import { ConfigError } from "./types.ts";

/**
 * Reads a config file: a JSON object of option names to values, or properties (`RPC_ENABLE=1` a line).
 * @throws ConfigError when it cannot be read or parsed
 */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readTextWithin(file);
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `cannot read config file ${file}: ${(cause as Error).message}`, {
      file,
    });
  }
  if (!/^\s*[[{]/.test(text)) return parseEnv(text) as Record<string, string>;
  let json: unknown;
  try {
    json = parseJsonWithin(text);
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `config file ${file}: ${(cause as Error).message}`, { file });
  }
  return checkSettings(json, file);
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
