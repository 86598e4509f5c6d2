import { address, bytes } from "../../../../protocol/codec/json/hex.ts";
import { nullable } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { accountKeyArgument, amount, answer, done, word } from "./values.ts";

const who = required(address, "The account.");

const balance = method({
  summary: "Sets the balance of an account, without a block.",
  params: { address: who, balance: required(amount, "kei") },
  result: done,
  scope: "node",
});
const code = method({
  summary: "Sets the code of an account, without a block; an externally owned account becomes a contract.",
  params: { address: who, code: required(bytes, "Runtime bytecode.") },
  result: done,
  scope: "node",
});
const nonce = method({
  summary: "Sets the nonce of an account, without a block; it may also be lowered.",
  params: { address: who, nonce: required(amount, "The next nonce of the account.") },
  result: done,
  scope: "node",
});
const storageAt = method({
  summary: "Sets the value of a storage slot, without a block.",
  params: {
    address: who,
    slot: required(word, "Number of the slot."),
    value: required(word, "The value."),
  },
  result: boolean,
  scope: "node",
});

/** Accounts changed by hand. The same under `anvil_` and `hardhat_`. */
export const devAccounts = {
  setBalance: balance,
  setCode: code,
  setNonce: nonce,
  setStorageAt: storageAt,
  impersonateAccount: method({
    summary: "Impersonates an account: accepts its transactions without its key.",
    params: { address: who },
    result: done,
    scope: "keys",
  }),
  stopImpersonatingAccount: method({
    summary: "Stops impersonating an account.",
    params: { address: who },
    result: answer,
    scope: "keys",
  }),
  autoImpersonateAccount: method({
    summary: "Impersonates all accounts whose keys this node does not hold.",
    params: { enabled: required(boolean, "Whether to.") },
    result: done,
    scope: "keys",
  }),
};

/** Methods that only anvil has. */
export const anvilAccounts = {
  addBalance: method({
    summary: "Adds to the balance of an account, without a block.",
    params: { address: who, balance: required(amount, "kei") },
    result: done,
    scope: "node",
  }),
};

/** The names of Ganache, under `evm_`. */
export const evmAccounts = {
  setAccountBalance: balance,
  setAccountCode: code,
  setAccountNonce: nonce,
  setAccountStorageAt: storageAt,
};

/** Methods that only Kaia chains have. */
export const kairnAccounts = {
  setAccountKey: method({
    summary: "Sets the account key of an externally owned account, without a block and without the old key.",
    params: {
      address: who,
      key: required(accountKeyArgument, "The key, as kaia_getAccountKey shows it, or encoded."),
    },
    result: done,
    scope: "node",
  }),
  setAutoFeePayer: method({
    summary: "Lets an account pay for fee-delegated transactions that arrive without a fee payer.",
    params: { address: optional(address, "Account whose key this node holds; without one nobody pays.") },
    result: done,
    scope: "keys",
  }),
  getAutoFeePayer: method({
    summary: "Account that pays for fee-delegated transactions without a fee payer; null when none does.",
    params: {},
    result: nullable(address),
    scope: "keys",
  }),
};
