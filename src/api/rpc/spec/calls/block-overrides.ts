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
 * Block overrides of a call, named as in the Execution API; `coinbase`, `random` and `baseFee` are older names, which tools such
 * as `cast` use.
 */
export const callBlockOverrides = object("CallBlockOverrides", {
  number: optional(quantity64, "Number of the block."),
  time: optional(quantity64, "Seconds since 1970."),
  gasLimit: optional(quantity64, "Result of GASLIMIT."),
  feeRecipient: optional(address, "The proposer."),
  coinbase: optional(address, "Alias of `feeRecipient`."),
  prevRandao: optional(word, "Result of PREVRANDAO (0x44)."),
  random: optional(word, "Alias of `prevRandao`."),
  baseFeePerGas: optional(quantity, "In kei."),
  baseFee: optional(quantity, "Alias of `baseFeePerGas`."),
  blobBaseFee: optional(quantity, "In kei."),
});

/** The block overrides of a call. */
export type CallBlockOverrides = TypeOf<typeof callBlockOverrides>;
