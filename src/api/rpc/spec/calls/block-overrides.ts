import { address, hash, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { object } from "../../../../protocol/codec/json/object.ts";
import { optional, type Schema, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";

/** A 256-bit number, also as its full 32 bytes, as geth writes it. */
export const word: Schema<bigint> = {
  ...quantity,
  json: { type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]*|[0-9a-fA-F]{64})$", maxLength: 66 },
  expects: "a number of at most 256 bits as 0x-prefixed hex without leading zeros, or 32 bytes",
  decode: (json) =>
    typeof json === "string" && json.length === 66 ? bytesToBigint(hash.decode(json)) : quantity.decode(json),
};

/**
 * What a call sees of its block, under the names of the Execution API; `coinbase`, `random` and `baseFee` are those that
 * older tools, and `cast`, give them.
 */
export const callBlockOverrides = object("CallBlockOverrides", {
  number: optional(quantity64, "Number of the block."),
  time: optional(quantity64, "Seconds since 1970."),
  gasLimit: optional(quantity64, "Result of GASLIMIT."),
  feeRecipient: optional(address, "The proposer."),
  coinbase: optional(address, "The same."),
  prevRandao: optional(word, "Result of PREVRANDAO (0x44)."),
  random: optional(word, "The same."),
  baseFeePerGas: optional(quantity, "In kei."),
  baseFee: optional(quantity, "The same."),
  blobBaseFee: optional(quantity, "In kei."),
});

/** Members of a block that a call assumes instead of the real ones. */
export type CallBlockOverrides = TypeOf<typeof callBlockOverrides>;
