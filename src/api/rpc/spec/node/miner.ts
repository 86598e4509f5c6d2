import { address, quantity } from "../../../../protocol/codec/json/hex.ts";
import { nothing } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";

const setRewardbase = method({
  summary: "Names the account that gets the rewards of the blocks to come.",
  params: { address: required(address, "The account.") },
  result: boolean,
  scope: "node",
});

/** Control over the blocks that this node makes. @see geth's namespace of this name */
export const miner = {
  start: method({
    summary: "Goes on making blocks after `stop`.",
    params: { threads: optional(small(int), "Accepted for scripts; blocks are not mined by threads here.") },
    result: nothing,
    scope: "node",
  }),
  stop: method({
    summary: "Makes no more blocks until `start`; answers when the last one is on disk.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  setExtra: method({
    summary: "Sets the free text in the extra data of the blocks to come.",
    params: { extra: required(string, "At most 31 bytes of UTF-8.") },
    result: boolean,
    scope: "node",
  }),
  setGasPrice: method({
    summary: "Leaves transactions that offer less per gas out of the blocks to come; they stay in the pool.",
    params: { price: required(quantity, "Lowest gas price in kei; 0x0 = the base fee decides alone.") },
    result: boolean,
    scope: "node",
  }),
  setEtherbase: setRewardbase,
  setRewardbase,
};
