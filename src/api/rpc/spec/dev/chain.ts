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
    summary: "Sets the base fee of the next block; the one after it follows KIP-71 again.",
    params: { baseFee: required(amount, "kei per gas") },
    result: done,
    scope: "node",
  }),
  setCoinbase: method({
    summary:
      "Sets the account that receives the rewards of later blocks. COINBASE stays the proposer, as on Kaia.",
    params: { address: required(address, "The account.") },
    result: done,
    scope: "node",
  }),
  setPrevRandao: method({
    summary: "Sets the result of PREVRANDAO in the next block.",
    params: { value: required(word, "32 bytes.") },
    result: done,
    scope: "node",
  }),
  setMinGasPrice: method({
    summary: "Refused: the base fee is the minimum gas price; see setNextBlockBaseFeePerGas.",
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
    summary:
      "Switches a fork to another node of the same chain; accepted and without effect on a chain that is not a fork.",
    params: { url: required(string, "JSON-RPC over HTTP.") },
    result: done,
    scope: "node",
  }),
  dropTransaction: method({
    summary: "Removes a transaction from the pool.",
    params: { hash: required(hash, "Hash of the transaction.") },
    result: wire<string | boolean | null>("Dropped", { type: ["string", "boolean", "null"] }),
    scope: "node",
  }),
  dropAllTransactions: method({
    summary: "Empties the pool.",
    params: {},
    result: done,
    scope: "node",
  }),
  dumpState: method({
    summary: "Serialises the newest state for loadState.",
    params: {},
    result: bytes,
    scope: "node",
  }),
  loadState: method({
    summary: "Loads a state dumped by kairn or by anvil.",
    params: { state: required(bytes, "Result of dumpState.") },
    result: boolean,
    scope: "node",
  }),
  reset: method({
    summary:
      "Resets the chain to its start, or to a fork, along with pool, snapshots, clock and all settings made by calls.",
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

/** Methods that only anvil has. */
export const anvilChain = {
  nodeInfo: method({
    summary: "The head, the hard fork and what the next block will cost.",
    params: {},
    result: facts,
    scope: "node",
  }),
  removePoolTransactions: method({
    summary: "Removes all transactions of a sender from the pool.",
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
      "Takes a snapshot of blocks, state with account keys, pool, time and impersonation. Returns an id for revert.",
    params: {},
    result: string,
    scope: "node",
  }),
  revert: method({
    summary: "Reverts to a snapshot, which is removed with all later ones. Returns whether it existed.",
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
