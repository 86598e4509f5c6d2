import type { IgnoredFlags } from "./ignored-flags.ts";
import { environmentNames, flagNames, type Option, type OptionSet, type OptionValues } from "./option.ts";
import { didYouMean } from "./suggest.ts";
import { boolean, ConfigError } from "./types.ts";

/** Where a value came from, strongest first. */
export type OptionSource = "flag" | "environment" | "file" | "default";

/** Where options are read from, the strongest first. */
export interface Sources {
  /** Arguments after the command's name. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Names as in the environment, option keys or flags; ranks below `env`. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Path of the file, for messages. */
  readonly path?: string;
  /** Options of other commands, which a shared file may also set. */
  readonly elsewhere?: OptionSet;
  /** Other flags that are accepted and ignored. */
  readonly ignored?: IgnoredFlags;
}

/** Characters of an unknown name shown in messages. */
const MAX_SHOWN_NAME = 100;

/** Characters of an invalid value shown in messages. */
const MAX_SHOWN_VALUE = 200;

/** The values of options, and where each comes from. */
export interface Resolved<S extends OptionSet> {
  readonly values: OptionValues<S>;
  readonly sources: Readonly<Record<keyof S, OptionSource>>;
  /** Arguments that are not flags. */
  readonly positionals: readonly string[];
  /** Flags that were given but are ignored. */
  readonly ignored: readonly string[];
}

/**
 * Resolves every option: flag over environment over file over default.
 * @throws ConfigError for an unknown flag or file entry (with a suggestion) and for an invalid value
 */
export function resolveOptions<S extends OptionSet>(
  options: S,
  { argv = [], env = {}, elsewhere = {}, ignored: ignorable = new Map(), ...ofFile }: Sources,
): Resolved<S> {
  const { flags, positionals, ignored } = readFlags(options, argv, ignorable);
  const fileTexts = readFile(options, elsewhere, ofFile);
  const values: Record<string, unknown> = {};
  const sources: Record<string, OptionSource> = {};
  for (const [key, declaration] of Object.entries(options)) {
    const [source, name, text] =
      flags.get(key) ?? fromEnvironment(declaration, env) ?? fileTexts.get(key) ?? FROM_DEFAULT;
    sources[key] = source;
    values[key] = source === "default" ? declaration.default : parseValue(declaration, name, text);
  }
  return {
    values: values as OptionValues<S>,
    sources: sources as Record<keyof S, OptionSource>,
    positionals,
    ignored,
  };
}

type Found = readonly [source: OptionSource, name: string, text: string];
const FROM_DEFAULT: Found = ["default", "", ""];

function parseValue(declaration: Option<unknown>, name: string, text: string): unknown {
  try {
    return declaration.type.parse(text);
  } catch (cause) {
    const shown = declaration.secret ? "the value given" : JSON.stringify(text.slice(0, MAX_SHOWN_VALUE));
    throw new ConfigError("CONFIG_VALUE", `${name}: ${shown} is not ${(cause as Error).message}`, { name });
  }
}

function readFlags(options: OptionSet, argv: readonly string[], ignorable: IgnoredFlags) {
  const byFlag = new Map<string, string>();
  for (const [key, declaration] of Object.entries(options)) {
    for (const flag of flagNames(declaration)) byFlag.set(flag, key);
  }
  const flags = new Map<string, Found>();
  const positionals: string[] = [];
  const ignored: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    if (argument === "--") {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    if (!/^--?[a-zA-Z]/.test(argument)) {
      positionals.push(argument);
      continue;
    }
    const [flag, inline] = splitFlag(argument);
    const key = byFlag.get(flag);
    const kind = ignorable.get(flag);
    if (key === undefined && kind !== undefined) {
      ignored.push(flag);
      if (kind === "value" && inline === undefined) i++;
      continue;
    }
    if (key === undefined) {
      const hint = didYouMean(flag, byFlag.keys(), "--");
      throw new ConfigError("CONFIG_UNKNOWN", `unknown flag --${flag}${hint}`, { flag });
    }
    const isSwitch = (options[key] as Option<unknown>).type === boolean;
    const text = inline ?? (isSwitch ? "true" : argv[++i]);
    if (text === undefined) throw new ConfigError("CONFIG_VALUE", `--${flag} needs a value`, { flag });
    flags.set(key, ["flag", `--${flag}`, text]);
  }
  return { flags, positionals, ignored };
}

function splitFlag(argument: string): [flag: string, inline: string | undefined] {
  const at = argument.indexOf("=");
  const flag = argument.slice(0, at < 0 ? undefined : at).replace(/^--?/, "");
  return [flag, at < 0 ? undefined : argument.slice(at + 1)];
}

function fromEnvironment(declaration: Option<unknown>, env: Sources["env"] = {}): Found | undefined {
  for (const name of environmentNames(declaration)) {
    const text = env[name];
    if (text !== undefined) return ["environment", name, text];
  }
  return undefined;
}

function readFile(
  options: OptionSet,
  elsewhere: OptionSet,
  { file = {}, path }: Pick<Sources, "file" | "path">,
): Map<string, Found> {
  const entries = Object.entries(file);
  const found = new Map<string, Found>();
  if (entries.length === 0) return found;
  const byName = new Map([...keysByName(elsewhere), ...keysByName(options)]);
  for (const [name, value] of entries) {
    const key = byName.get(name);
    if (key === undefined) {
      const where = path === undefined ? "" : ` ${path}`;
      const text = `unknown setting ${name.slice(0, MAX_SHOWN_NAME)} in the config file${where}`;
      throw new ConfigError("CONFIG_UNKNOWN", text + didYouMean(name, byName.keys()), { name });
    }
    found.set(key, ["file", name, Array.isArray(value) ? value.join(",") : String(value)]);
  }
  return found;
}

function keysByName(options: OptionSet): [name: string, key: string][] {
  return Object.entries(options).flatMap(([key, declaration]) =>
    [key, ...flagNames(declaration), ...environmentNames(declaration)].map((name): [string, string] => [
      name,
      key,
    ]),
  );
}
