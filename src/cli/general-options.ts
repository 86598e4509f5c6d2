import { option } from "../platform/config/option.ts";
import { boolean, path } from "../platform/config/types.ts";

/** Options of every command. */
export const generalOptions = {
  config: option({
    flag: "config",
    type: path,
    default: undefined,
    doc: "File of settings: JSON, properties such as RPC_ENABLE=1, or kend.conf of the Go node (any name in .conf).",
  }),
  help: option({ flag: "help", aliases: ["h"], type: boolean, default: false, doc: "Shows this help." }),
} as const;
