import { address, bytes } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable, object } from "../../../../protocol/codec/json/object.ts";
import { boolean, small, string, uint64 } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";

const verdict = object("GaslessTxResponse", {
  isGasless: required(boolean, "Whether the transactions could be included in a block as a bundle."),
  reason: required(nullable(string), "Why it could not."),
});

const info = object("GaslessInfoResult", {
  isDisabled: required(
    boolean,
    "Whether this node lends no fees, by its options or because it has less than 1 KAIA.",
  ),
  swapRouter: required(address, "The swap router that the registry names; the zero address without one."),
  allowedTokens: required(list(address), "Tokens for which fees are lent."),
  maxBundleTxs: required(small(uint64), "Maximum number of pending gasless transactions."),
});

/** Gas abstraction. @see KIP-247 */
export const debugGasless = {
  isGaslessTx: method({
    summary:
      "Whether the proposer would lend the fees of signed transactions: a swap, or an approval and a swap.",
    params: {
      transactions: required(list(bytes, "[]hexutil.Bytes"), "One or two signed transactions, encoded."),
    },
    result: verdict,
    scope: "state",
  }),
  gaslessInfo: method({
    summary: "The swap router and the tokens for which the proposer lends fees.",
    params: {},
    result: info,
    scope: "state",
  }),
};
