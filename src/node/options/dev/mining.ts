import { option } from "../../../platform/config/option.ts";
import * as t from "../../../platform/config/types.ts";

/** When a development chain seals blocks. */
export const miningOptions = {
  blockTimeMs: option({
    flag: "block-time",
    type: t.timer(1),
    default: undefined,
    doc: "Seals a block at this interval instead of on demand.",
  }),
  mixedMining: option({
    flag: "mixed-mining",
    type: t.boolean,
    default: false,
    doc: "With --block-time: seals on demand as well.",
  }),
  noMining: option({
    flag: "no-mining",
    type: t.boolean,
    default: false,
    doc: "Seals blocks only on request.",
  }),
} as const;
