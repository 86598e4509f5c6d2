import { list, wire } from "../../../../protocol/codec/json/object.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { method } from "../method.ts";
import { quantityOrNumber } from "../values/number.ts";
import { pair } from "../values/pair.ts";
import { done } from "./values.ts";

/** Maximum blocks that one `anvil_reorg` replaces. */
export const MAX_REORG_DEPTH = 1_000n;
/** Maximum transactions in its new blocks. */
export const MAX_REORG_TRANSACTIONS = 10_000;

const transaction = wire<Json>("TransactionOrRaw", {
  description: "A signed transaction as hex, or what `eth_sendTransaction` takes.",
});

/** Blocks replaced by others, under `anvil_`. */
export const anvilReorg = {
  reorg: method({
    summary:
      "Replaces the newest blocks with as many new ones, whose hashes differ. The transactions of the old blocks are " +
      "dropped unless they are listed for the new ones.",
    params: {
      depth: required(quantityOrNumber, `How many blocks, at most ${MAX_REORG_DEPTH}.`),
      transactions: optional(
        list(
          pair(
            "TransactionOfBlock",
            transaction,
            quantityOrNumber,
            "a transaction, and the new block for it, from 0",
          ),
        ),
        "Transactions of the new blocks; without any these are empty.",
      ),
    },
    result: done,
    scope: "node",
  }),
};
