import { didYouMean } from "../../platform/config/suggest.ts";
import { command, UsageError } from "../command.ts";
import { describedCommands } from "../completion/described-commands.ts";
import { completionScript, SHELLS, type Shell } from "../completion/shell-scripts.ts";
import { generalOptions } from "../general-options.ts";

/** `kairn completion` */
export default command({
  usage: SHELLS.join(" | "),
  summary: "Prints the completion script of a shell, for commands, flags and values.",
  options: {},
  async run({ positionals, stdout, commands }) {
    const [shell = "", ...more] = positionals;
    if (!isShell(shell) || more.length > 0)
      throw new UsageError(`usage: kairn completion ${SHELLS.join(" | ")}${didYouMean(shell, SHELLS)}`);
    stdout.write(completionScript(shell, await describedCommands(commands, generalOptions)));
    return 0;
  },
});

function isShell(word: string): word is Shell {
  return (SHELLS as readonly string[]).includes(word);
}
