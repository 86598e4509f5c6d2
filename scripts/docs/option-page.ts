// Generates docs/reference/options.md.
import { OPTION_GROUPS } from "../../src/node/options/index.ts";
import { formatValue } from "../../src/platform/config/help.ts";
import type { Option } from "../../src/platform/config/option.ts";

const HEADER = "<!-- Written by `npm run docs` from src/node/options; do not edit. -->";
const INTRODUCTION = `Every option can be given as a flag, in the environment or in the file of \`--config\`; a flag wins over the environment, that over
the file. Besides the name in the table, the environment and the file know \`KAIRN_\` with the flag in capitals
(\`KAIRN_RPCPORT\`), and the file the flag itself. The fourth column is the member of the options of \`createNode()\` that the
option becomes; an option without one is read by the command.`;

type Row = Option<unknown> & { readonly member?: string; readonly opens?: string };

/** The reference of all options, one table per group. */
export function optionPage(): string {
  const groups = Object.entries(OPTION_GROUPS).map(([title, options]) => {
    const rows = (Object.values(options) as Row[]).map(rowOf);
    return [`## ${title}`, "", HEAD, ...rows].join("\n");
  });
  return `${HEADER}\n\n# Options\n\n${INTRODUCTION}\n\n${groups.join("\n\n")}\n`;
}

const HEAD = "| flag | environment | default | createNode | what it does |\n| --- | --- | --- | --- | --- |";

function rowOf(option: Row): string {
  const { flag, aliases = [], env = [], member, opens, doc, secret, type } = option;
  const flags = [flag, ...aliases].map((name) => code(`--${name}`)).join(" ");
  const value = type.placeholder && ` ${type.placeholder.replaceAll("|", "\\|")}`;
  const fallback = secret ? "" : formatValue(option, option.default);
  const cells = [flags + value, env.map(code).join(" "), code(fallback), code(member ?? opens ?? ""), doc];
  return `| ${cells.join(" | ")} |`;
}

function code(text: string): string {
  return text && `\`${text}\``;
}
