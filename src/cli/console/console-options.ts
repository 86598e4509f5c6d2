import { option } from "../../platform/config/option.ts";
import { list, path, string } from "../../platform/config/types.ts";

/** Options of `attach` and `console`. */
export const consoleOptions = {
  exec: option({
    flag: "exec",
    type: string,
    default: undefined,
    doc: "Evaluates this text, prints the value and exits.",
  }),
  preload: option({
    flag: "preload",
    type: list,
    default: [],
    doc: "Scripts to run first, separated by commas.",
  }),
  scriptFolder: option({
    flag: "jspath",
    type: path,
    default: ".",
    doc: "Folder of scripts given without a path.",
  }),
} as const;
