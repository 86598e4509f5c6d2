import { nodeOptions } from "../../node/options/index.ts";
import { formatValue } from "../../platform/config/help.ts";
import type { OptionSet } from "../../platform/config/option.ts";
import { command, UsageError } from "../command.ts";

/** `kairn config` */
export default command({
  usage: "show",
  summary: "Shows every setting of `kairn node` and where it comes from.",
  options: nodeOptions,
  async run({ values, sources, positionals, stdout }) {
    if (positionals[0] !== "show" || positionals.length > 1) throw new UsageError("usage: kairn config show");
    const options: OptionSet = nodeOptions;
    const rows = Object.entries(options).map(([key, option]) => {
      const value = values[key as keyof typeof values];
      const text = option.secret && value !== undefined ? "(hidden)" : formatValue(option, value);
      return [option.flag, text, sources[key as keyof typeof sources]] as const;
    });
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
    for (const [flag, value, source] of rows) {
      stdout.write(`${flag.padEnd(widths[0] as number)}  ${value.padEnd(widths[1] as number)}  ${source}\n`);
    }
    return 0;
  },
});
