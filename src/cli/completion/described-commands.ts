import { flagNames, type Option, type OptionSet } from "../../platform/config/option.ts";
import { boolean, path } from "../../platform/config/types.ts";
import type { CommandTable } from "../command.ts";

/** The value that a flag takes. */
type FlagValue =
  /** None: it is a switch. */
  | { readonly kind: "nothing" }
  | { readonly kind: "file" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "text" };

/** A flag as shells and manuals name it. */
export interface DescribedFlag {
  /** Without dashes; the first is the one to show. */
  readonly names: readonly string[];
  readonly doc: string;
  readonly placeholder: string;
  readonly value: FlagValue;
}

/** A subcommand of `kairn`, with everything that can follow it. */
export interface DescribedCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly DescribedFlag[];
}

/** All commands by their declarations, in the order of help. @param general - options that every command has */
export async function describedCommands(
  table: CommandTable,
  general: OptionSet,
): Promise<readonly DescribedCommand[]> {
  const commands = Object.entries(table).map(async ([name, { summary, load }]) => {
    const { default: command } = await load();
    const flags = Object.values<Option<unknown>>({ ...command.options, ...general }).map(describedFlag);
    return { name, usage: command.usage, summary, flags };
  });
  return Promise.all(commands);
}

function describedFlag(option: Option<unknown>): DescribedFlag {
  const { doc, type } = option;
  return { names: flagNames(option), doc, placeholder: type.placeholder, value: flagValueOf(option) };
}

function flagValueOf({ type }: Option<unknown>): FlagValue {
  if (type === boolean) return { kind: "nothing" };
  if (type === path) return { kind: "file" };
  return type.words === undefined ? { kind: "text" } : { kind: "words", words: type.words };
}
