import { address, bytes, message, quantity } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, passphrase } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { LOCKED, UNKNOWN_ACCOUNT } from "../declared-errors.ts";
import { method } from "../method.ts";
import { rawTransaction } from "../values/transaction-args.ts";
import { receipt, type WireObject } from "../values/wire-types.ts";

/** The object, or its JSON text, as libraries send it. */
const typedData: Schema<Json> = wire("TypedData", {
  description: "`types`, `primaryType`, `domain` and `message` of EIP-712, or their JSON text.",
  type: ["object", "string"],
});

const signTypedData = method({
  summary: "Signs typed structured data with the key of an unlocked account. See EIP-712.",
  params: {
    address: required(address, "Account that signs."),
    data: required(typedData, "The data to sign."),
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
      raw: required(rawTransaction, "The signed transaction."),
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
      "Signs a message. With a passphrase, the prefix is this network's; without one, it is Ethereum's and the account " +
      "must be unlocked, as wallets do it for dApps.",
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

/** A token for a wallet's list. */
const asset: Schema<Json> = wire("Asset", {
  description: "`type` and `options` of EIP-747.",
  type: "object",
});

/** Other members describe the chain to a person. */
const chain = object("ChainParameters", { chainId: required(quantity, "Chain id.") });

const switchChain = method({
  summary: "Does nothing when the node's own chain is named, and is refused otherwise.",
  params: { chain: required(chain, "`chainId` of the chain.") },
  result: nothing,
  scope: "node",
  errors: [{ code: 4902, message: "Unrecognized chain ID" }],
});

const addChain = method({
  summary: "As wallet_switchEthereumChain: the node has one chain.",
  params: { chain: required(chain, "`chainId` of the chain.") },
  result: nothing,
  scope: "node",
  errors: [{ code: 4902, message: "Unrecognized chain ID" }],
});

/** Names of what is permitted, with their limits; nothing of it is kept. */
const permissions = object("Permissions", {
  eth_accounts: optional(object("PermissionLimits", {}), "To see the accounts, which is always permitted."),
});

const permission: Schema<WireObject> = wire("Permission", {
  description: "A permission of EIP-2255: `parentCapability` and `caveats`.",
  type: "object",
});

/** Wallet methods about chains, of which there is one, permissions, of which all are given, and tokens, which are not shown. */
export const walletDapp = {
  switchEthereumChain: switchChain,
  addEthereumChain: addChain,
  switchKlaytnChain: switchChain,
  addKlaytnChain: addChain,
  getPermissions: method({
    summary: "Permissions of the caller: everybody may see all accounts of the node. See EIP-2255.",
    params: {},
    result: list(permission),
    scope: "keys",
  }),
  requestPermissions: method({
    summary: "Grants what everybody has: to see all accounts of the node. See EIP-2255.",
    params: { permissions: required(permissions, "Permissions requested.") },
    result: list(permission),
    scope: "keys",
  }),
  revokePermissions: method({
    summary: "Does nothing: the node keeps no permissions.",
    params: { permissions: required(permissions, "Permissions to revoke.") },
    result: nothing,
    scope: "node",
  }),
  watchAsset: method({
    summary: "Returns true and does nothing: the node keeps no list of tokens. See EIP-747.",
    params: { asset: required(asset, "The token.") },
    result: boolean,
    scope: "node",
  }),
};
