import type { OptionSet, OptionValues } from "../platform/config/option.ts";
import type { OptionSource } from "../platform/config/resolve.ts";

/** The parts of the process that a command may use. */
export interface Terminal {
  /** Path of the program, for work done in a separate process; absent where there is none. */
  readonly program?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** A command as it was called: its options, where each value comes from, and its positional arguments. */
export interface Invocation<S extends OptionSet> extends Terminal {
  readonly values: OptionValues<S>;
  readonly sources: Readonly<Record<keyof S, OptionSource>>;
  readonly positionals: readonly string[];
  /** All commands, for the one that describes them. */
  readonly commands: CommandTable;
}

/** The subcommands of `kairn`, in the order of help; each is loaded only when used. */
export type CommandTable = Readonly<
  Record<
    string,
    // biome-ignore lint/suspicious/noExplicitAny: each command has options of its own
    { readonly summary: string; readonly load: () => Promise<{ readonly default: Command<any> }> }
  >
>;

/** A subcommand of `kairn`. */
export interface Command<S extends OptionSet = OptionSet> {
  /** The arguments after the subcommand, as in `FILE [FIRST] [LAST]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options: S;
  /** @returns the exit code */
  run(invocation: Invocation<S>): Promise<number>;
}

/** Declares a command; the types of its values follow from its options. */
export function command<const S extends OptionSet>(declaration: Command<S>): Command<S> {
  return declaration;
}

/** A usage error; the command ends with exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
