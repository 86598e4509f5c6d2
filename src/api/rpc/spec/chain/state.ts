import { address, bytes, message, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable } from "../../../../protocol/codec/json/object.ts";
import { boolean, string } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { LOCKED, NO_BLOCK, UNKNOWN_ACCOUNT } from "../declared-errors.ts";
import { ALICE } from "../examples.ts";
import { method } from "../method.ts";
import { blockRef } from "../values/block-ref.ts";
import { account, accountKey } from "../values/wire-types.ts";

const who = required(address, "Account to look up.");
const when = required(blockRef, "Block after which the state is read.");

/** Accounts as both namespaces read them. */
export const state = {
  getBalance: method({
    summary: "Balance of an account in kei; 0 when it does not exist.",
    params: { address: who, block: when },
    result: quantity,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: "0x21e19e0c9bab2400000" },
  }),
  getTransactionCount: method({
    summary: "Nonce of an account; with `pending` the next one, counting transactions of the pool.",
    params: { address: who, block: when },
    result: quantity64,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: "0x0" },
  }),
  getCode: method({
    summary: "Code of an account; empty when it has none.",
    params: { address: who, block: when },
    result: bytes,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: "0x" },
  }),
  getStorageAt: method({
    summary: "Value of a storage slot, 32 bytes.",
    params: { address: who, slot: required(string, "Number of the slot in hex."), block: when },
    result: bytes,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "0x0", "latest"], result: `0x${"0".repeat(64)}` },
  }),
};

/** What only Kaia accounts have. */
export const kaiaState = {
  accountCreated: method({
    summary: "Whether an account exists.",
    params: { address: who, block: when },
    result: boolean,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: true },
  }),
  getAccount: method({
    summary: "An account with its type and key; null when it does not exist.",
    params: { address: who, block: when },
    result: nullable(account),
    scope: "state",
    errors: [NO_BLOCK],
    example: {
      params: [ALICE, "latest"],
      result: {
        accType: 1,
        account: {
          nonce: 0,
          balance: "0x21e19e0c9bab2400000",
          humanReadable: false,
          key: { keyType: 1, key: {} },
          storageRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
          codeHash: "xdJGAYb3IzySfn2y3McDwOUAtlPKgic7e/rYBF2FpHA=",
          codeFormat: 0,
          vmVersion: 0,
        },
      },
    },
  }),
  getAccountKey: method({
    summary: "Key of an account; null when the account does not exist.",
    params: { address: who, block: when },
    result: nullable(accountKey),
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: { keyType: 1, key: {} } },
  }),
  isContractAccount: method({
    summary: "Whether an account is a contract with code.",
    params: { address: who, block: when },
    result: boolean,
    scope: "state",
    errors: [NO_BLOCK],
    example: { params: [ALICE, "latest"], result: false },
  }),
};

/** Accounts whose keys this node holds. */
export const ownAccounts = {
  accounts: method({
    summary: "Addresses of the accounts whose keys this node holds.",
    params: {},
    result: list(address),
    scope: "keys",
  }),
  sign: method({
    summary: "Signs a prefixed message with the key of an unlocked account.",
    params: {
      address: required(address, "Account that signs."),
      message: required(message, "Message to sign."),
    },
    result: bytes,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, LOCKED],
  }),
};
