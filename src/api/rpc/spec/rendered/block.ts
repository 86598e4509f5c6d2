import { address, bytes, hash, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, wire } from "../../../../protocol/codec/json/object.ts";
import { optional, required, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import { rendered } from "./rendered.ts";
import { transaction } from "./transaction.ts";

const inBoth = {
  number: required(quantity64, "Number of the block."),
  hash: required(hash, "Hash of the block."),
  parentHash: required(hash, "Hash of the parent block."),
  timestamp: required(quantity64, "Seconds since 1970."),
  extraData: required(bytes, "Seals of the validators; empty in `eth_`."),
  gasUsed: required(quantity64, "Gas used by all transactions."),
  logsBloom: required(bytes, "Bloom filter of addresses and topics of all logs, 256 bytes."),
  receiptsRoot: required(hash, "Root of the receipts."),
  stateRoot: required(hash, "Root of the state after the block."),
  transactionsRoot: required(hash, "Root of the transactions."),
  baseFeePerGas: optional(quantity, "Base fee, in kei; from Magma on."),
  randomReveal: optional(bytes, "Proposer's contribution to the next random number; from Randao on."),
  excessBlobGas: optional(quantity64, "From Osaka on."),
  blobGasUsed: optional(quantity64, "From Osaka on."),
};

const inKaia = {
  blockScore: optional(quantity, "Always 1. `kaia_` only, as are the next four."),
  reward: optional(address, "Account that gets the block's reward."),
  timestampFoS: optional(quantity64, "Hundredths of a second, added to `timestamp`."),
  governanceData: optional(bytes, "Parameters that change with this block."),
  voteData: optional(bytes, "The proposer's vote on a parameter."),
};

const inEth = {
  difficulty: optional(quantity, "Always 1. `eth_` only, as are the next four."),
  gasLimit: optional(quantity64, "500,000,000, the limit of one transaction: blocks have none."),
  miner: optional(address, "The proposer."),
  nonce: optional(bytes, "Always 0, 8 bytes."),
  sha3Uncles: optional(hash, "Hash of the empty list of uncles."),
};

/** A block header. */
export const header = rendered("Header", "A block header.", {
  ...inBoth,
  ...inKaia,
  ...inEth,
  mixhash: optional(hash, "Random number of the block, `kaia_`; from Randao on."),
  mixHash: optional(hash, "The same, `eth_`."),
  size: optional(quantity64, "Bytes of the header, `eth_`."),
});

/** The transactions of a block: hashes or objects. */
const transactions = wire<readonly (string | TypeOf<typeof transaction>)[]>("Transactions", {
  type: "array",
  items: { anyOf: [hash.json, transaction.json] },
});

/** A block. */
export const block = rendered("Block", "A block; transactions as hashes or whole.", {
  ...inBoth,
  ...inKaia,
  ...inEth,
  mixHash: optional(hash, "Random number of the block; from Randao on, in `eth_` always."),
  size: required(quantity64, "Bytes of the block."),
  transactions: required(transactions, "Hashes, or whole transactions if requested."),
  uncles: optional(list(hash), "Empty; `eth_` only."),
});
