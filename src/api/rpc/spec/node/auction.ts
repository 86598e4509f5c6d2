import { address, bytes, fixedBytes, quantity } from "../../../../protocol/codec/json/hex.ts";
import { object, wire } from "../../../../protocol/codec/json/object.ts";
import { uint64 } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { kaiaCalls } from "../calls/calls.ts";
import { subscriptions } from "../logs/filters.ts";
import { method } from "../method.ts";

const hash = fixedBytes("hash", 32, "common.Hash");

/** A bid for the slot after a transaction, as sent by an auctioneer. */
const bidInput = object(
  "Bid",
  {
    targetTxRaw: optional(bytes, "The transaction that the call is to follow, encoded."),
    targetTxHash: optional(hash, "Its hash."),
    blockNumber: optional(uint64, "Block for which the bid is made."),
    sender: optional(address, "Who bids."),
    to: optional(address, "Contract that is called."),
    nonce: optional(uint64, "Nonce of the bidder at the auction."),
    bid: optional(quantity, "Amount in kei."),
    callGasLimit: optional(uint64, "Gas of the call."),
    data: optional(bytes, "Input of the call."),
    searcherSig: optional(bytes, "Signature of the bidder."),
    auctioneerSig: optional(bytes, "Signature of the auctioneer."),
  },
  { goType: "impl.BidInput" },
);

/** The result of a bid: its hash, or why it was rejected. */
export interface BidOutcome {
  readonly bidHash?: string;
  readonly err?: string;
}

/** The auction namespace, as served by a node without an auctioneer. */
export const auction = {
  submitBid: method({
    summary:
      "Adds the target transaction of a bid to the pool. The bid itself is refused: this node holds no auctions.",
    params: { bid: required(bidInput, "The bid.") },
    result: wire<BidOutcome>("BidOutcome", {
      type: "object",
      properties: { bidHash: { type: "string" }, err: { type: "string" } },
    }),
    scope: "send",
  }),
  call: kaiaCalls.call,
};

const { newHeads, logs, newPendingTransactions } = subscriptions;

/** Events of `auction_subscribe`. */
export const auctionSubscriptions = { newHeads, logs, newPendingTransactions };
