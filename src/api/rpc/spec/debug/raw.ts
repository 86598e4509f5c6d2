import { bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { list } from "../../../../protocol/codec/json/object.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { NO_BLOCK } from "../declared-errors.ts";
import { method } from "../method.ts";
import { blockRef } from "../values/block-ref.ts";

const block = required(blockRef, "The block.");

/** Blocks and transactions as they are encoded. @see execution-apis, which the reference does not follow here */
export const debugRaw = {
  getRawHeader: method({
    summary: "RLP of a block's header.",
    params: { block },
    result: bytes,
    scope: "chain",
    errors: [NO_BLOCK],
  }),
  getRawBlock: method({
    summary: "RLP of a block: the header and the list of transactions.",
    params: { block },
    result: bytes,
    scope: "chain",
    errors: [NO_BLOCK],
  }),
  getRawReceipts: method({
    summary: "RLP of each receipt of a block, as hashed into the receipts root.",
    params: { block },
    result: list(bytes),
    scope: "chain",
    errors: [NO_BLOCK],
  }),
  getRawTransaction: method({
    summary:
      "Encoded transaction of the chain or the pool, as eth_getRawTransactionByHash; empty when it is in neither.",
    params: { hash: required(hash, "Hash of the transaction.") },
    result: bytes,
    scope: "chain",
  }),
};
