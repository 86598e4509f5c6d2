import { address, quantity } from "../../../../protocol/codec/json/hex.ts";
import { nothing } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";

const setRewardbase = method({
  summary: "Sets the account that receives the rewards of later blocks.",
  params: { address: required(address, "The account.") },
  result: boolean,
  scope: "node",
});

/** Control over the blocks that this node produces. @see geth's namespace of this name */
export const miner = {
  start: method({
    summary: "Resumes sealing after `stop`. A validator among several refuses both.",
    params: {
      threads: optional(small(int), "Accepted for scripts and ignored: blocks are not mined by threads."),
    },
    result: nothing,
    scope: "node",
  }),
  stop: method({
    summary: "Stops sealing until `start`; returns when the last block is on disk.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  setExtra: method({
    summary: "Sets the vanity text in the extra data of later blocks.",
    params: { extra: required(string, "At most 31 bytes of UTF-8.") },
    result: boolean,
    scope: "node",
  }),
  setGasPrice: method({
    summary: "Excludes transactions with a lower gas price from later blocks; they stay in the pool.",
    params: { price: required(quantity, "Lowest gas price in kei; 0x0 = the base fee alone decides.") },
    result: boolean,
    scope: "node",
  }),
  setEtherbase: setRewardbase,
  setRewardbase,
};
