import { address, bytes, message, quantity } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, object, wire } from "../../../../protocol/codec/json/object.ts";
import { passphrase } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { LOCKED, UNKNOWN_ACCOUNT } from "../declared-errors.ts";
import { method } from "../method.ts";
import { receipt } from "../values/wire-types.ts";

/** The object, or its JSON text, as libraries send it. */
const typedData: Schema<Json> = wire("TypedData", {
  description: "`types`, `primaryType`, `domain` and `message` of EIP-712, or their JSON text.",
  type: ["object", "string"],
});

const signTypedData = method({
  summary: "Signs typed structured data with the key of an unlocked account. See EIP-712.",
  params: {
    address: required(address, "Account that signs."),
    data: required(typedData, "What is signed."),
  },
  result: bytes,
  scope: "keys",
  errors: [UNKNOWN_ACCOUNT, LOCKED],
});

/** Wallet methods for dApps, in the eth namespace. */
export const ethDapp = {
  requestAccounts: method({
    summary: "Addresses of the accounts whose keys this node holds: all are shared.",
    params: {},
    result: list(address),
    scope: "keys",
  }),
  signTypedData,
  signTypedData_v3: signTypedData,
  signTypedData_v4: signTypedData,
  sendRawTransactionSync: method({
    summary: "Adds a signed transaction to the pool and waits for its receipt. See EIP-7966.",
    params: {
      raw: required(bytes, "The signed transaction."),
      timeout: optional(quantity, "Milliseconds to wait; default 20,000, at most 60,000."),
    },
    result: receipt,
    scope: "send",
    errors: [
      {
        code: 4,
        message: "The transaction was added to the pool and is in no block yet; data has its hash.",
      },
    ],
  }),
};

/** `personal_sign` in the form dApps use. */
export const personalDapp = {
  sign: method({
    summary:
      "Signs a message. With a passphrase, behind the prefix of this network; without one, behind Ethereum's and with the key of an unlocked account, as wallets do it for dApps.",
    params: {
      message: required(message, "Message to sign."),
      address: required(address, "Account that signs."),
      passphrase: optional(passphrase, "Passphrase of the account's key."),
    },
    result: bytes,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, LOCKED],
  }),
};

/** Other members describe the chain to a person. */
const chain = object("ChainParameters", { chainId: required(quantity, "Chain id.") });

/** Wallet methods about chains, of which there is one. */
export const walletDapp = {
  switchEthereumChain: method({
    summary: "Does nothing when the node's own chain is named, and is refused otherwise.",
    params: { chain: required(chain, "`chainId` of the chain.") },
    result: nothing,
    scope: "node",
    errors: [{ code: 4902, message: "Unrecognized chain ID" }],
  }),
  addEthereumChain: method({
    summary: "The same: the node has one chain.",
    params: { chain: required(chain, "`chainId` of the chain.") },
    result: nothing,
    scope: "node",
    errors: [{ code: 4902, message: "Unrecognized chain ID" }],
  }),
};
