import { wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { blockNumber } from "../values/block-ref.ts";
import type { WireObject } from "../values/wire-types.ts";

const text = { type: string.json["type"] as string };

/** Minted and burnt supply, and the credits of the network. */
export const supply = {
  getTotalSupply: method({
    summary:
      "Total supply after a block, with what was minted and burnt, in kei. The first call may take a while.",
    params: {
      number: optional(blockNumber, "Number of the block; default latest."),
      showPartial: optional(
        boolean,
        "Whether to return what is known, with `error`, when some of it is not.",
      ),
    },
    result: wire<WireObject>("TotalSupply", { type: "object" }),
    scope: "chain",
  }),
  getCypressCredit: method({
    summary: "The first contributors of the main network, as its contract at the zero address names them.",
    params: {},
    result: wire<WireObject>("CypressCredit", {
      type: "object",
      properties: { photo: text, names: text, endingPhoto: text, endingNames: text },
    }),
    scope: "chain",
  }),
};
