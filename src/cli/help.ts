import { type devNodeOptions, type nodeOptions, OPTION_GROUPS } from "../node/options/index.ts";
import { optionHelp } from "../platform/config/help.ts";
import type { OptionSet } from "../platform/config/option.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";

/** The most used options, in the order shown. */
const COMMON_ON_DEVELOPMENT_CHAIN: readonly (keyof typeof devNodeOptions)[] = [
  "dataDir",
  "httpPort",
  "httpAddress",
  "wsPort",
  "accounts",
  "mnemonic",
  "blockTimeMs",
  "forkUrl",
  "stateFile",
  "verbosity",
];
const COMMON_ON_NODE: readonly (keyof typeof nodeOptions)[] = [
  "dataDir",
  "mainnet",
  "testnet",
  "http",
  "httpPort",
  "httpAddress",
  "httpModules",
  "ws",
  "p2pPort",
  "verbosity",
];

/** Fewer options than this are shown as one list. */
const MIN_GROUPED = 20;

/** Help of the program: every command with its summary. */
export function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    "kairn: a Kaia-protocol blockchain node",
    "Usage: kairn COMMAND [flags]",
    lines.join("\n"),
    "kairn COMMAND --help shows the flags of a command.\n",
  ].join("\n\n");
}

/**
 * Help of one command: its flags in groups, the most used ones first, each flag once.
 * @param general - options that every command has; they come last
 */
export function commandHelp(name: string, { usage, summary, options }: Command, general: OptionSet): string {
  const groups = groupsOf(
    options,
    "blockTimeMs" in options ? COMMON_ON_DEVELOPMENT_CHAIN : COMMON_ON_NODE,
    general,
  );
  const sections = groups.map(([title, set]) => `${title}:\n${optionHelp(set).join("\n")}`);
  return `${summary}\n\nUsage: kairn ${name}${usage ? ` ${usage}` : ""} [flags]\n\n${sections.join("\n\n")}\n`;
}

function groupsOf(options: OptionSet, common: readonly string[], general: OptionSet): [string, OptionSet][] {
  const all = Object.entries(options);
  if (all.length < MIN_GROUPED) return [["Flags", { ...options, ...general }]];
  const left = new Map(all);
  const take = (keys: readonly string[]): OptionSet => {
    const taken = keys.flatMap((key) => (left.has(key) ? [[key, left.get(key)]] : []));
    for (const key of keys) left.delete(key);
    return Object.fromEntries(taken);
  };
  const groups: [string, OptionSet][] = [["Common flags", take(common)]];
  for (const [title, set] of Object.entries(OPTION_GROUPS)) groups.push([title, take(Object.keys(set))]);
  groups.push(["Other flags", { ...Object.fromEntries(left), ...general }]);
  return groups.filter(([, set]) => Object.keys(set).length > 0);
}
