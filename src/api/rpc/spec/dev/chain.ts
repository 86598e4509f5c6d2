import { address, bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { nullable, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { ethTransactionArgs } from "../values/transaction-args.ts";
import { amount, answer, done, facts, resetOptions, word } from "./values.ts";

/** The next block, the pool and the whole chain. The same under `anvil_` and `hardhat_`. */
export const devChain = {
  setNextBlockBaseFeePerGas: method({
    summary: "Gives the next block a base fee; the one after it follows KIP-71 again.",
    params: { baseFee: required(amount, "kei per gas") },
    result: done,
    scope: "node",
  }),
  setCoinbase: method({
    summary: "Sends the rewards of further blocks to an account. COINBASE stays the proposer, as on Kaia.",
    params: { address: required(address, "Who gets them.") },
    result: done,
    scope: "node",
  }),
  setPrevRandao: method({
    summary: "What PREVRANDAO answers in the next block.",
    params: { value: required(word, "32 bytes.") },
    result: done,
    scope: "node",
  }),
  setMinGasPrice: method({
    summary: "Refused: the base fee is the least price; see setNextBlockBaseFeePerGas.",
    params: { gasPrice: required(amount, "kei per gas") },
    result: done,
    scope: "node",
  }),
  setLoggingEnabled: method({
    summary: "Accepted and without effect: --verbosity sets what is logged.",
    params: { enabled: required(boolean, "Ignored.") },
    result: done,
    scope: "node",
  }),
  setRpcUrl: method({
    summary: "Has a fork read from another node of the same chain from now on.",
    params: { url: required(string, "JSON-RPC over HTTP.") },
    result: done,
    scope: "node",
  }),
  dropTransaction: method({
    summary: "Takes a transaction out of the pool.",
    params: { hash: required(hash, "Hash of the transaction.") },
    result: wire<string | boolean | null>("Dropped", { type: ["string", "boolean", "null"] }),
    scope: "node",
  }),
  dumpState: method({
    summary: "Packs the newest state into bytes for loadState.",
    params: {},
    result: bytes,
    scope: "node",
  }),
  loadState: method({
    summary: "Takes over a state that was dumped by a node like this or by anvil.",
    params: { state: required(bytes, "Result of dumpState.") },
    result: boolean,
    scope: "node",
  }),
  reset: method({
    summary:
      "Begins anew, as at the start or on a fork; pool, snapshots, clock and all that was asked for are as at the start.",
    params: {
      options: optional(
        resetOptions,
        "`forking` with `jsonRpcUrl` and `blockNumber`: what to fork from now on.",
      ),
    },
    result: done,
    scope: "node",
  }),
  metadata: method({
    summary: "The node, its chain and its head.",
    params: {},
    result: facts,
    scope: "node",
  }),
};

/** What only anvil has. */
export const anvilChain = {
  nodeInfo: method({
    summary: "The head, the hard fork and what the next block will cost.",
    params: {},
    result: facts,
    scope: "node",
  }),
  dropAllTransactions: method({
    summary: "Empties the pool.",
    params: {},
    result: done,
    scope: "node",
  }),
  removePoolTransactions: method({
    summary: "Takes all transactions of a sender out of the pool.",
    params: { address: required(address, "The sender.") },
    result: done,
    scope: "node",
  }),
  setChainId: method({
    summary:
      "Refused: signatures and the chain's rules hold the chain id; --chain-id sets that of a new chain.",
    params: { chainId: required(amount, "Ignored.") },
    result: done,
    scope: "node",
  }),
  rollback: method({
    summary: "Removes the newest blocks.",
    params: { depth: optional(amount, "How many; default 1.") },
    result: done,
    scope: "node",
  }),
};

/** Under `evm_` and `anvil_`. */
export const devSnapshots = {
  snapshot: method({
    summary:
      "Remembers blocks, state with account keys, pool, time and impersonation. Returns an id for revert.",
    params: {},
    result: string,
    scope: "node",
  }),
  revert: method({
    summary: "Goes back to a snapshot, which is used up, with all later ones. Returns whether there was one.",
    params: { id: required(amount, "Result of snapshot.") },
    result: boolean,
    scope: "node",
  }),
  setBlockGasLimit: method({
    summary: "Accepted and without effect: Kaia's blocks have no gas limit.",
    params: { gasLimit: required(amount, "Ignored.") },
    result: answer,
    scope: "node",
  }),
};

/** In the eth namespace. */
export const ethDev = {
  sendUnsignedTransaction: method({
    summary: "Adds a transaction of any account to the pool, without its key.",
    params: { tx: required(ethTransactionArgs, "The transaction.") },
    result: nullable(hash),
    scope: "send",
  }),
};
