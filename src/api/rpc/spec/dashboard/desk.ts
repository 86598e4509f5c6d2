import { address, bytes } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, wire } from "../../../../protocol/codec/json/object.ts";
import { integer, newPassphrase, passphrase, small } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { UNKNOWN_ACCOUNT, WRONG_PASSPHRASE } from "../declared-errors.ts";
import { type Api, method } from "../method.ts";
import { sendTxArgs } from "../values/transaction-args.ts";
import type { DraftReport, FeePayerReport, KeyReport, UnlockedAccount } from "./desk-wire.ts";

const object = { type: "object" };
const raw = required(bytes, "The transaction in wire format, with the signatures it has so far.");
const draft = wire<DraftReport>("DraftReport", object);
const role = small(integer("role", { goType: "int", min: 0n, max: 2n }));

/** Inspection without a key: transactions not yet fully signed, and keys not yet installed. */
export const desk = {
  examine: method({
    summary:
      "A transaction that is in no block: what it does, who has signed it, and whether that is enough.",
    params: { raw },
    result: draft,
    scope: "chain",
  }),
  merge: method({
    summary:
      "Merges the signatures of several copies of one transaction; refused if they differ in what is signed.",
    params: { raws: required(list(bytes), "At most 20 copies.") },
    result: draft,
    scope: "chain",
  }),
  feePayer: method({
    summary: "The fee payer service of a development chain; null where there is none.",
    params: {},
    result: wire<FeePayerReport | null>("FeePayerReport", object),
    scope: "node",
  }),
} satisfies Api;

/** Methods that use the node's keys. */
export const signing = {
  draft: method({
    summary: "A transaction with the given members and no signatures; nonce, gas and price are filled in.",
    params: { tx: required(sendTxArgs, "The transaction.") },
    result: draft,
    scope: "keys",
  }),
  addSignature: method({
    summary: "Adds the signature of an unlocked account's key to a transaction, whoever sends it.",
    params: {
      raw,
      signer: required(address, "Account of this node whose key signs."),
      role: required(role, "Whether it signs for the sender (0) or the fee payer (2)."),
    },
    result: draft,
    scope: "keys",
  }),
  publicKey: method({
    summary: "The public key of an unlocked account of this node, compressed.",
    params: { address: required(address, "The account.") },
    result: bytes,
    scope: "keys",
  }),
  unlocked: method({
    summary: "The unlocked accounts of the keystore, and how long they stay unlocked.",
    params: {},
    result: list(wire<UnlockedAccount>("UnlockedAccount", object)),
    scope: "keys",
  }),
  changePassphrase: method({
    summary: "Re-encrypts an account's key file under another passphrase.",
    params: {
      address: required(address, "The account."),
      passphrase: required(passphrase, "Its current passphrase."),
      newPassphrase: required(newPassphrase, "Its new passphrase."),
    },
    result: nothing,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  examineKey: method({
    summary:
      "The effect of giving an account a key: what is wrong with the key, and who could sign afterwards.",
    params: {
      address: required(address, "The account."),
      key: required(
        wire<Json>("AccountKey", object),
        "`{ keyType, key }` as kaia_getAccountKey shows it; public keys may be compressed.",
      ),
    },
    result: wire<KeyReport>("KeyReport", object),
    scope: "keys",
  }),
} satisfies Api;
