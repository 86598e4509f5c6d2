import { wire } from "../../../../protocol/codec/json/object.ts";
import { method } from "../method.ts";
import type { WireObject } from "../values/wire-types.ts";

/** What the chain's rules are, for tools that compare nodes. */
export const ethConfig = {
  config: method({
    summary:
      "Fork id, precompiles, system contracts and blob schedule of the rules in force, the next and the last ones.",
    params: {},
    result: wire<WireObject>("ChainRules", { type: "object" }),
    scope: "chain",
  }),
};
