// `tsx scripts/docs/man-page.ts FILE`: writes the manual page, kairn(1), from the declarations of the commands.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { COMMANDS } from "../../src/cli/commands/index.ts";
import { type DescribedCommand, describedCommands } from "../../src/cli/completion/described-commands.ts";
import { generalOptions } from "../../src/cli/general-options.ts";

const ENVIRONMENT = `Every option can be given in the environment as
.B KAIRN_
with the flag in capitals, or in the file of
.BR \\-\\-config .
A flag takes precedence over the environment, and the environment over the file.
.B NO_COLOR
turns colours off.`;

const EXIT = [
  ["0", "success, or stopped by a signal"],
  ["1", "failed"],
  ["2", "usage error: an unknown flag or command, an invalid value"],
  ["70", "the node crashed; see the crash file in the data folder"],
  ["73", "the data folder cannot be written: a full disk, a read-only file system"],
  ["74", "data on the disk is corrupt"],
  ["77", "this user may not write to the data folder"],
  ["78", "invalid configuration"],
  ["130", "interrupted by Ctrl-C"],
] as const;

const [file = ""] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await manPage(version));

/** The page in the macros of man(7). */
async function manPage(version: string): Promise<string> {
  const commands = await describedCommands(COMMANDS, generalOptions);
  const codes = EXIT.map(([code, meaning]) => `.TP\n.B ${code}\n${text(meaning)}`);
  return `.\\" Written from the declarations of the commands; do not edit.
.TH KAIRN 1 "" "kairn ${version}" "User Commands"
.SH NAME
kairn \\- a Kaia\\-protocol blockchain node
.SH SYNOPSIS
.B kairn
.I COMMAND
.RI [ flags ]
.SH COMMANDS
${commands.map(commandSection).join("\n")}
.SH ENVIRONMENT
${ENVIRONMENT}
.SH EXIT STATUS
${codes.join("\n")}
.SH SEE ALSO
The guides and the reference in the folder
.I docs
of the source.
`;
}

function commandSection({ name, usage, summary, flags }: DescribedCommand): string {
  const lines = flags.map(({ names, placeholder, doc, value }) => {
    const flag = names.map((one) => `\\-\\-${text(one)}`).join(", ");
    const argument = value.kind === "nothing" ? "" : ` ${text(placeholder)}`;
    return `.TP\n.B ${flag}${argument}\n${text(doc)}`;
  });
  return `.SS kairn ${text(`${name}${usage && ` ${usage}`}`)}\n${text(summary)}\n${lines.join("\n")}`;
}

/** Text escaped for troff: backslashes, dashes, and control characters at the start of a line. */
function text(plain: string): string {
  const escaped = plain.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "\\&...");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
