import { InterruptedError } from "../api/console/terminal/keyboard.ts";
import { readConfigFile } from "../platform/config/file.ts";
import type { OptionSet } from "../platform/config/option.ts";
import { resolveOptions, type Sources } from "../platform/config/resolve.ts";
import { didYouMean } from "../platform/config/suggest.ts";
import { ConfigError } from "../platform/config/types.ts";
import { NodeError } from "../protocol/primitives/errors.ts";
import { visible } from "../protocol/primitives/visible.ts";
import { type Command, type Terminal, UsageError } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { generalOptions } from "./general-options.ts";
import { REFERENCE_FLAGS } from "./reference/reference-flags.ts";
import { isReferenceFile, readReferenceProperties } from "./reference/reference-properties.ts";

/**
 * Runs `kairn` with its arguments.
 * @returns the exit code, one of `ExitCode`
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    terminal.stderr.write(`kairn: ${visible(describe(error))}\n`);
    if (error instanceof InterruptedError) return ExitCode.interrupted;
    if (isMisconfigured(error)) return ExitCode.config;
    if (isFenced(error)) return ExitCode.fenced;
    if (isDamage(error)) return ExitCode.damaged;
    if (isUnwritable(error)) return isForbidden(error) ? ExitCode.forbidden : ExitCode.unwritable;
    return isMistake(error) ? ExitCode.usage : ExitCode.failed;
  }
}

async function dispatch([word, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (word === undefined || word === "help" || word === "--help" || word === "-h") {
    const [topic] = rest;
    if (word === "help" && topic !== undefined) return dispatch([topic, "--help"], terminal);
    const { overview } = await import("./help.ts");
    terminal.stdout.write(overview());
    return 0;
  }
  const name = word === "--version" || word === "-v" ? "version" : word;
  const entry = COMMANDS[name];
  if (!entry) {
    throw new UsageError(
      `unknown command ${word}${didYouMean(word, [...Object.keys(COMMANDS), "help"])}; see kairn help`,
    );
  }
  const { default: command } = await entry.load();
  return invoke(name, command, rest, terminal);
}

async function invoke(
  name: string,
  command: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const options = { ...command.options, ...generalOptions };
  const { env } = terminal;
  const first = resolveOptions(options, { argv, env, ignored: REFERENCE_FLAGS });
  if (first.values.help) {
    const { commandHelp } = await import("./help.ts");
    terminal.stdout.write(commandHelp(name, command, generalOptions));
    return 0;
  }
  const { config } = first.values;
  const resolved =
    config === undefined
      ? first
      : resolveOptions(options, {
          ...{ argv, env, ignored: REFERENCE_FLAGS },
          ...(await readSettings(config as string, options, terminal)),
        });
  const [argument] = resolved.positionals;
  if (command.usage === "" && argument !== undefined) {
    throw new UsageError(`unexpected argument ${argument}; see kairn ${name} --help`);
  }
  for (const flag of resolved.ignored) terminal.stderr.write(`kairn: --${flag} has no effect here\n`);
  return command.run({ ...terminal, ...resolved, commands: COMMANDS });
}

/** Reads a config file; for one of the reference's start scripts, reports settings without effect. */
async function readSettings(
  config: string,
  options: OptionSet,
  { stderr }: Terminal,
): Promise<Pick<Sources, "file" | "path" | "elsewhere">> {
  const { devNodeOptions: elsewhere } = await import("../node/options/index.ts");
  const isScript = isReferenceFile(config);
  const file = readConfigFile(config, isScript);
  if (!isScript) return { file, path: config, elsewhere };
  const { settings, unknown } = readReferenceProperties(file, { ...elsewhere, ...options }, REFERENCE_FLAGS);
  if (unknown.length > 0)
    stderr.write(`kairn: without effect in ${visible(config)}: ${visible(unknown.join(", "))}\n`);
  return { file: settings, elsewhere };
}

/** Flags whose values are validated only by the module that uses them, by the code of its error. */
const FLAGS: Readonly<Record<string, string>> = {
  DERIVATION_PATH: "--derivation-path",
  IPC_PATH: "--ipcpath",
  MNEMONIC: "--mnemonic",
};

/** Values that no node can work with. */
const MISTAKES: ReadonlySet<string> = new Set(["DISCOVERY_TYPES", "OPTION"]);

const DAMAGES: ReadonlySet<string> = new Set([
  "DATABASE_DAMAGED",
  "DATABASE_FORMAT",
  "DATABASE_MISSING",
  "FILE_KIND",
  "LOG_DAMAGED",
  "STATE_DAMAGED",
  "CHAIN_DAMAGED",
]);

/** The files of a node cannot be created or opened. */
const UNWRITABLE: ReadonlySet<string> = new Set(["DATABASE_UNWRITABLE", "NODE_KEY_UNWRITABLE"]);

/** Errors after which a node with a change log cannot continue for now: another node writes, or has other blocks. */
const FENCED: ReadonlySet<string> = new Set([
  "LEASE_HELD",
  "LOG_FENCED",
  "DIVERGED",
  "LOG_TOO_OLD",
  "LOG_UNREACHABLE",
  "LOG_BUSY",
  "LOG_GAP",
  "LOG_INCONSISTENT",
  "BAD_RECORD",
]);

/** Addresses that expose too much, files that cannot be used, a folder or a database with another chain. */
const MISCONFIGURED: ReadonlySet<string> = new Set([
  "EXPOSED",
  "CERTIFICATE",
  "GENESIS_MISMATCH",
  "KEY_FOLDER",
  "NODE_FILE",
  "NODE_KEY",
  ...["LOG_URL", "LOG_DENIED", "LOG_RIGHTS", "LOG_SCHEMA", "LOG_OTHER_CHAIN"],
]);

function isFenced(error: unknown): boolean {
  return error instanceof NodeError && FENCED.has(error.code);
}

function isMisconfigured(error: unknown): boolean {
  return error instanceof NodeError && MISCONFIGURED.has(error.code);
}

function isDamage(error: unknown): boolean {
  return error instanceof NodeError && DAMAGES.has(error.code);
}

function isUnwritable(error: unknown): error is NodeError<string> {
  return error instanceof NodeError && UNWRITABLE.has(error.code);
}

function isForbidden({ details }: NodeError<string>): boolean {
  return ["EACCES", "EPERM"].includes(String(details["code"]));
}

function isMistake(error: unknown): boolean {
  if (error instanceof ConfigError || error instanceof UsageError) return true;
  return error instanceof NodeError && (error.code in FLAGS || MISTAKES.has(error.code));
}

function describe(error: unknown): string {
  if (error instanceof InterruptedError) return error.message;
  if (error instanceof NodeError && error.code in FLAGS) return `${FLAGS[error.code]}: ${error.message}`;
  if (error instanceof NodeError && error.code === "GENESIS_MISSING") {
    return `${error.message}; kairn init GENESIS.json creates one, --mainnet and --testnet bring their own`;
  }
  if (error instanceof NodeError && error.code === "GENESIS_MISMATCH") {
    return `${error.message}; use the options the chain was created with, or another --datadir`;
  }
  if (error instanceof NodeError || error instanceof UsageError) return error.message;
  if (isPortTaken(error)) {
    if (error.port < 0) return `${error.address} is in use by another program; choose another --ipcpath`;
    return `port ${error.port} of ${error.address} is in use; choose another with ${PORT_FLAGS}`;
  }
  if (error instanceof Error && "code" in error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const PORT_FLAGS = "--rpcport, --wsport, --prometheusport, --fee-payer-port or --port";

function isPortTaken(error: unknown): error is { readonly port: number; readonly address: string } {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE" && "port" in error;
}
