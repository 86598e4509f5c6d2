import { type Option, type OptionSet, option } from "../../platform/config/option.ts";
import { type Accepted, ConfigError } from "../../platform/config/types.ts";
import type { NodeOptions } from "../node-options.ts";

/** The type at a path in `NodeOptions`, such as `http.port`. */
export type MemberAt<Path extends string, In = NodeOptions> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof In
    ? MemberAt<Rest, Extract<In[Head], object>>
    : never
  : Path extends keyof In
    ? Exclude<In[Path], undefined>
    : never;

/** A command-line option that sets a member of `NodeOptions`. */
export interface MemberOption<T, Path extends string> extends Option<T> {
  readonly member: Path;
  /** What a program may pass, where not what the type accepts. */
  readonly accepts?: Accepted;
  /** Converts the parsed value to the member; undefined leaves it out. Absent = the parsed value is used as it is. */
  as?(value: Exclude<T, undefined>): unknown;
}

/** Further properties of an option, besides its names, type and text. */
export interface OptionRole {
  /** Member that is left out, with everything in it, unless this option is given. */
  readonly opens?: keyof NodeOptions;
  /** Flag that this one requires. */
  readonly needs?: string;
  /** Flags that cannot be given together with this one. */
  readonly excludes?: readonly string[];
  /** Another member that gets the same value. */
  readonly also?: "metrics.virtualHosts";
}

type Declared<T, Path> = Omit<Option<T>, "default"> &
  OptionRole & { readonly member: Path; readonly accepts?: Accepted };

/**
 * Declares an option that sets a member of `NodeOptions`. The parsed value has the member's type, or `as` converts it.
 * This is the only place that an option has; flag, environment, file, help and the reference follow from it.
 */
export function nodeOption<const Path extends string, T>(
  declaration: Declared<T, Path> & {
    readonly default: NoInfer<T>;
    as(value: NoInfer<T>): MemberAt<Path> | undefined;
  },
): MemberOption<T, Path>;
export function nodeOption<const Path extends string, T>(
  declaration: Declared<T, Path> & {
    readonly default: undefined;
    as(value: NoInfer<T>): MemberAt<Path> | undefined;
  },
): MemberOption<T | undefined, Path>;
export function nodeOption<const Path extends string, T extends MemberAt<Path>>(
  declaration: Declared<T, Path> & { readonly default: NoInfer<T> },
): MemberOption<T, Path>;
export function nodeOption<const Path extends string, T extends MemberAt<Path>>(
  declaration: Declared<T, Path> & { readonly default: undefined },
): MemberOption<T | undefined, Path>;
export function nodeOption<T, Path extends string>(
  declaration: MemberOption<T, Path>,
): MemberOption<T, Path> {
  return declaration;
}

/** Declares a switch that enables a member of `NodeOptions` with everything that other options put in it. */
export function opener(
  declaration: Option<boolean> & Required<Pick<OptionRole, "opens">>,
): Option<boolean> & OptionRole {
  return declaration;
}

/** Declares an option that start scripts of the reference node may give and that changes nothing; its help says so. */
export function withoutEffect<T>(
  declaration: Option<T> & { readonly doc: `Without effect: ${string}` },
): Option<T> & { readonly isWithoutEffect: true } {
  return { ...option(declaration), isWithoutEffect: true } as Option<T> & { readonly isWithoutEffect: true };
}

/** The parts of a declaration that `membersOf` reads. */
type MemberDeclaration = Option<unknown> & Partial<MemberOption<unknown, string>> & OptionRole;

/**
 * The members of `NodeOptions` set by some settings.
 * @param settings - values of the options by their keys
 * @throws ConfigError `CONFIG_CONFLICT` for an option without the one that it needs, or with one that it excludes; whatever
 * `as` throws
 */
export function membersOf(options: OptionSet, settings: Readonly<Record<string, unknown>>): NodeOptions {
  const entries = Object.entries(options) as [key: string, entry: MemberDeclaration][];
  const given = new Map(entries.map(([key, { flag }]) => [flag, isGiven(settings[key])]));
  const members: Record<string, unknown> = {};
  const [openable, opened] = [new Set<string>(), new Set<string>()];
  for (const [key, entry] of entries) {
    const { flag, opens, member, also } = entry;
    if (given.get(flag)) checkOthers(entry, given);
    const value = landed(entry, settings[key]);
    if (opens !== undefined) (isGiven(value) ? opened : openable).add(opens);
    if (value === undefined) continue;
    for (const path of [member, also]) if (path !== undefined) put(members, path.split("."), value);
  }
  for (const member of openable) if (!opened.has(member)) delete members[member];
  return members;
}

function checkOthers(
  { flag, needs, excludes = [] }: MemberDeclaration,
  given: ReadonlyMap<string, boolean>,
): void {
  if (needs !== undefined && !given.get(needs))
    throw new ConfigError("CONFIG_CONFLICT", `--${flag} requires --${needs}`);
  const other = excludes.find((name) => given.get(name));
  if (other !== undefined)
    throw new ConfigError("CONFIG_CONFLICT", `--${flag} and --${other} cannot be given together`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function landed(entry: MemberDeclaration, value: unknown): unknown {
  // Its declaration has tied the parameter of `as` to the type that the option was read as.
  return value === undefined || entry.as === undefined ? value : entry.as(value as never);
}

/** `false` disables a member, whatever other options have set in it. */
function put(into: Record<string, unknown>, [head = "", ...rest]: readonly string[], value: unknown): void {
  if (into[head] === false) return;
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  into[head] ??= {};
  put(into[head] as Record<string, unknown>, rest, value);
}
