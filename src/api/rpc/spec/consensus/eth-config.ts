import { wire } from "../../../../protocol/codec/json/object.ts";
import { method } from "../method.ts";
import type { WireObject } from "../values/wire-types.ts";

/** The rules of the chain, for tools that compare nodes. */
export const ethConfig = {
  config: method({
    summary:
      "Fork id, precompiles, system contracts and blob schedule of the current, the next and the last fork. See EIP-7910.",
    params: {},
    result: wire<WireObject>("ChainRules", { type: "object" }),
    scope: "chain",
  }),
};
