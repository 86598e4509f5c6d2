import { option } from "../../../platform/config/option.ts";
import * as t from "../../../platform/config/types.ts";
import { absolute } from "../conversions.ts";
import { nodeOption } from "../member.ts";

/** Files of the state of a development chain. */
export const stateOptions = {
  stateFile: nodeOption({
    member: "state.file",
    opens: "state",
    excludes: ["load-state", "dump-state"],
    flag: "state",
    type: t.path,
    default: undefined,
    doc: "Loads the state from this file if it exists, and saves it there when the node stops.",
    as: absolute,
  }),
  loadState: nodeOption({
    member: "state.load",
    opens: "state",
    flag: "load-state",
    type: t.path,
    default: undefined,
    doc: "Loads a state written by --dump-state, anvil_dumpState or anvil.",
    as: absolute,
  }),
  dumpState: nodeOption({
    member: "state.dump",
    opens: "state",
    flag: "dump-state",
    type: t.path,
    default: undefined,
    doc: "Saves the state to a file when the node stops.",
    as: absolute,
  }),
  stateIntervalMs: nodeOption({
    member: "state.intervalMs",
    flag: "state-interval",
    aliases: ["state.interval"],
    type: t.timer(10),
    default: 60_000,
    doc: "Interval at which the file of --state or --dump-state is saved while the node runs.",
  }),
  ephemeral: option({
    flag: "ephemeral",
    type: t.boolean,
    default: false,
    doc: "Keeps the chain in memory only.",
  }),
} as const;
