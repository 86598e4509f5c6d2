import { address } from "../../../../protocol/codec/json/hex.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { amount, done } from "./values.ts";

const token = required(address, "An ERC-20 contract, or one with the same functions.");

/** Tokens handed out without a transaction, under `anvil_`. */
export const anvilTokens = {
  dealERC20: method({
    summary: "Sets the balance of a token holder by writing the storage slot that `balanceOf` reads.",
    params: {
      address: required(address, "The account."),
      token,
      balance: required(amount, "In the token's smallest unit."),
    },
    result: done,
    scope: "node",
  }),
  setERC20Allowance: method({
    summary: "Sets an allowance by writing the storage slot that `allowance` reads.",
    params: {
      owner: required(address, "Owner of the tokens."),
      spender: required(address, "Account that may spend them."),
      token,
      allowance: required(amount, "In the token's smallest unit."),
    },
    result: done,
    scope: "node",
  }),
};
