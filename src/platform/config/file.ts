import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { ConfigError } from "./types.ts";

/**
 * Reads a config file: a JSON object of option names to values, or properties (`RPC_ENABLE=1` a line).
 * @throws ConfigError when it cannot be read or parsed
 */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `cannot read config file ${file}: ${(cause as Error).message}`, {
      file,
    });
  }
  if (!text.trimStart().startsWith("{")) return parseEnv(text) as Record<string, string>;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `config file ${file}: ${(cause as Error).message}`, { file });
  }
}
