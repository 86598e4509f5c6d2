import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";

/** Files of the state of a development chain. */
export const stateOptions = {
  stateFile: option({
    flag: "state",
    type: t.path,
    default: undefined,
    doc: "Takes over the state in this file, if it is there, and writes it there at the end.",
  }),
  loadState: option({
    flag: "load-state",
    type: t.path,
    default: undefined,
    doc: "Takes over a state that --dump-state, anvil_dumpState or anvil wrote.",
  }),
  dumpState: option({
    flag: "dump-state",
    type: t.path,
    default: undefined,
    doc: "Writes the state to a file at the end.",
  }),
  stateIntervalMs: option({
    flag: "state-interval",
    aliases: ["state.interval"],
    type: t.timer(100),
    default: 60_000,
    doc: "Time between writes of the file of --state or --dump-state while the node runs.",
  }),
  ephemeral: option({
    flag: "ephemeral",
    type: t.boolean,
    default: false,
    doc: "Keeps the chain in memory only.",
  }),
} as const;
