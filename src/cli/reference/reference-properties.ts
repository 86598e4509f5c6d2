import type { IgnoredFlags } from "../../platform/config/ignored-flags.ts";
import { environmentNames, flagNames, type Option, type OptionSet } from "../../platform/config/option.ts";
import { boolean, ConfigError } from "../../platform/config/types.ts";

/** The contents of a property file of the reference's start scripts, keyed by option. */
export interface ReferenceProperties {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names and flags in it that have no effect here, as written. */
  readonly unknown: readonly string[];
}

/** The option for each network of the scripts; the later names date from Klaytn. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ["mainnet", "mainnet"],
  ["cypress", "mainnet"],
  ["kairos", "testnet"],
  ["baobab", "testnet"],
]);

/** Whether a config file is one of the reference's start scripts: `kend.conf`, `kcnd.conf`, `kpnd.conf`, or any other `.conf`. */
export function isReferenceFile(file: string): boolean {
  return file.endsWith(".conf");
}

/**
 * Reads such a file as the scripts do: an empty value counts as absent, `$NAME` stands for the value of another name,
 * `NETWORK` counts if there is no `NETWORK_ID`, and `ADDITIONAL` holds flags, which override the rest of the file.
 * @param properties - the file's names and values
 * @param options - every option that the file may set
 * @param ignorable - flags that are accepted without effect
 * @throws ConfigError for an unknown network, and for a word among the flags that is not a flag
 * @see build/packaging/linux/bin/kend of the reference node v2.2.1
 */
export function readReferenceProperties(
  properties: Readonly<Record<string, unknown>>,
  options: OptionSet,
  ignorable: IgnoredFlags,
): ReferenceProperties {
  const { NETWORK: network, ADDITIONAL: additional, ...rest } = expanded(properties);
  const known = new Set(
    Object.entries(options).flatMap(([key, declaration]) => [
      ...[key, ...flagNames(declaration), ...environmentNames(declaration)],
    ]),
  );
  const settings: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(rest)) {
    // The scripts pass some names on as flags, in lower case.
    const setting = [name, name.toLowerCase()].find((each) => known.has(each));
    if (setting === undefined) unknown.push(name);
    else settings[setting] = value;
  }
  if (network !== undefined && "NETWORK_ID" in rest) unknown.push("NETWORK");
  else if (network !== undefined) settings[networkOption(network)] = "true";
  const flags = flagSettings(String(additional ?? ""), options, ignorable);
  return { settings: { ...settings, ...flags.settings }, unknown: [...unknown, ...flags.unknown] };
}

/** The non-empty values, with variables expanded once: a value that itself contains a variable expands to nothing. */
function expanded(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plain = (name: string): string => {
    const value = String(properties[name] ?? "");
    return value.includes("$") ? "" : value;
  };
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    const isText = typeof value === "string";
    const filled = isText ? value.replace(/\$\{?(\w+)\}?/g, (_, other: string) => plain(other)) : value;
    if (filled !== "") values[name] = filled;
  }
  return values;
}

function networkOption(network: unknown): string {
  const option = NETWORKS.get(String(network));
  if (option !== undefined) return option;
  throw new ConfigError("CONFIG_VALUE", `NETWORK: ${JSON.stringify(network)} is not mainnet or kairos`, {
    name: "NETWORK",
  });
}

/** Flags as entries of a file. */
function flagSettings(text: string, options: OptionSet, ignorable: IgnoredFlags): ReferenceProperties {
  const declared = new Map<string, Option<unknown>>(
    Object.values(options).flatMap((each) => flagNames(each).map((flag) => [flag, each] as const)),
  );
  const settings: Record<string, string> = {};
  const unknown: string[] = [];
  const words = text.split(/\s+/).filter((word) => word !== "");
  while (words.length > 0) {
    const word = words.shift() as string;
    const [, flag = "", inline] = /^--?([a-zA-Z][^=]*)(?:=(.*))?$/.exec(word) ?? [];
    if (flag === "")
      throw new ConfigError("CONFIG_VALUE", `ADDITIONAL: ${word} is not a flag`, { name: "ADDITIONAL" });
    const declaration = declared.get(flag);
    const isSwitch =
      declaration === undefined ? isAlone(flag, words, ignorable) : declaration.type === boolean;
    const value = inline ?? (isSwitch ? "true" : words.shift());
    if (declaration === undefined) unknown.push(`--${flag}`);
    else if (value !== undefined) settings[declaration.flag] = value;
    else throw new ConfigError("CONFIG_VALUE", `ADDITIONAL: --${flag} needs a value`, { name: "ADDITIONAL" });
  }
  return { settings, unknown };
}

/** Whether no value follows a flag that is not an option: an unknown flag has one unless another flag comes next. */
function isAlone(flag: string, [next = "-"]: readonly string[], ignorable: IgnoredFlags): boolean {
  const kind = ignorable.get(flag);
  return kind === undefined ? next.startsWith("-") : kind === "switch";
}
