import { address, bytes, hash, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { rendered } from "./rendered.ts";
import { fieldsOfTypes, kaiaFields, place } from "./transaction.ts";

/** An event of a contract. */
export const log = rendered("Log", "An event of a contract with its position in the chain.", {
  address: required(address, "The contract."),
  topics: required(list(hash), "Hash of the event's signature, and its indexed arguments; four at most."),
  data: required(bytes, "Arguments that are not indexed, ABI-encoded."),
  blockHash: required(hash, "Hash of the block."),
  blockNumber: required(quantity64, "Number of the block."),
  transactionHash: required(hash, "Hash of the transaction."),
  transactionIndex: required(quantity64, "Index of the transaction in the block."),
  logIndex: required(quantity64, "Index of the log in the block."),
  removed: required(boolean, "Whether its block was removed from the chain."),
});

/** A receipt. */
export const receipt = rendered("Receipt", "A receipt: in `kaia_` with the transaction's own members.", {
  transactionHash: required(hash, "Hash of the transaction."),
  status: required(quantity64, "0x1 when it succeeded, else 0x0."),
  txError: optional(quantity64, "Why it failed: number of the error; `kaia_` only."),
  gasUsed: required(quantity64, "Gas used by the transaction."),
  cumulativeGasUsed: optional(quantity64, "Gas of the block's transactions up to this one; `eth_` only."),
  effectiveGasPrice: optional(quantity, "Effective gas price, in kei."),
  contractAddress: optional(nullable(address), "The contract that it created."),
  logs: required(list(log), "Events of contracts."),
  logsBloom: required(bytes, "Bloom filter of the logs, 256 bytes."),
  blobGasUsed: optional(quantity64, "Of blob transactions."),
  blobGasPrice: optional(quantity, "Of blob transactions, in kei."),
  ...place,
  ...fieldsOfTypes,
  ...kaiaFields,
});
