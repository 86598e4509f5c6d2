import { address, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { object, wire } from "../../../../protocol/codec/json/object.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { BOB } from "../examples.ts";
import { method } from "../method.ts";
import type { WireObject } from "../values/wire-types.ts";

/** Entries of the pool by checksummed sender and decimal nonce. */
export interface PoolListing<T> {
  readonly pending: Readonly<Record<string, Readonly<Record<string, T>>>>;
  readonly queued: Readonly<Record<string, Readonly<Record<string, T>>>>;
}

/** Entries of one sender by decimal nonce. */
export interface SenderListing<T> {
  readonly pending: Readonly<Record<string, T>>;
  readonly queued: Readonly<Record<string, T>>;
}

const listing = { type: "object", properties: { pending: { type: "object" }, queued: { type: "object" } } };

/** The contents of the transaction pool. */
export const txpool = {
  status: method({
    summary:
      "Number of pending transactions, which are executable, and of queued ones, which wait for an earlier nonce.",
    params: {},
    result: object("PoolStatus", {
      pending: required(quantity64, "Executable transactions."),
      queued: required(quantity64, "Transactions that wait for an earlier nonce."),
    }),
    scope: "node",
    example: { params: [], result: { pending: "0x0", queued: "0x0" } },
  }),
  content: method({
    summary: "All transactions of the pool.",
    params: {},
    result: wire<PoolListing<WireObject>>("PoolContent", listing),
    scope: "node",
    example: { params: [], result: { pending: {}, queued: {} } },
  }),
  inspect: method({
    summary: "All transactions of the pool, one line each.",
    params: {},
    result: wire<PoolListing<string>>("PoolInspection", listing),
    scope: "node",
  }),
};

/** The pool's transactions of one sender. @see execution-apis, which the reference does not follow here */
export const senderPool = {
  contentFrom: method({
    summary: "The transactions of the pool that an account has sent, by nonce.",
    params: { address: required(address, "The sender.") },
    result: wire<SenderListing<WireObject>>("SenderPoolContent", listing),
    scope: "node",
    example: { params: [BOB], result: { pending: {}, queued: {} } },
  }),
};
