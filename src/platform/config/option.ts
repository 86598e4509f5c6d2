import type { OptionType } from "./types.ts";

/** One setting of the node: its names everywhere, its type, its default and its help line. */
export interface Option<T> {
  /** On the command line, without dashes. */
  readonly flag: string;
  /** Alternative names of the flag. */
  readonly aliases?: readonly string[];
  /** Names in the environment and in properties files; `KAIRN_<FLAG>` and `KAIA_<FLAG>` always work. */
  readonly env?: readonly string[];
  readonly type: OptionType<T>;
  readonly default: T;
  readonly doc: string;
  /** Never shown by `config show`. */
  readonly secret?: boolean;
}

/** Options by key. */
// biome-ignore lint/suspicious/noExplicitAny: variance marker, never read
export type OptionSet = Readonly<Record<string, Option<any>>>;

/** The values of a set of options, by key. */
export type OptionValues<S extends OptionSet> = {
  readonly [K in keyof S]: S[K] extends Option<infer T> ? T : never;
};

/** Declares one option; the value type is that of `type`, and includes undefined if there is no default. */
export function option<T>(declaration: Omit<Option<T>, "default"> & { default: NoInfer<T> }): Option<T>;
export function option<T>(
  declaration: Omit<Option<T>, "default"> & { default: undefined },
): Option<T | undefined>;
export function option<T>(
  declaration: Omit<Option<T>, "default"> & { default: T | undefined },
): Option<T | undefined> {
  return declaration as Option<T | undefined>;
}

/** All names of an option in the environment, strongest first. */
export function environmentNames({ flag, env = [] }: Option<unknown>): string[] {
  const base = flag.toUpperCase().replace(/[^A-Z0-9]/g, "_");
  return [...env, `KAIRN_${base}`, `KAIA_${base}`, `KLAYTN_${base}`];
}

/** All flags of an option, without dashes. */
export function flagNames({ flag, aliases = [] }: Option<unknown>): string[] {
  return [flag, ...aliases];
}
