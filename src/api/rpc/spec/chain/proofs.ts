import { address, bytes, message } from "../../../../protocol/codec/json/hex.ts";
import { list, wire } from "../../../../protocol/codec/json/object.ts";
import { string } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { blockNumber, blockRef } from "../values/block-ref.ts";
import { rawTransaction } from "../values/transaction-args.ts";
import type { WireObject } from "../values/wire-types.ts";

const block = required(blockRef, "Block after which the account is read.");

/** Proofs of state, the same in both namespaces. */
export const proofs = {
  getProof: method({
    summary: "Merkle proofs of an account and of some of its storage slots. See EIP-1186.",
    params: {
      address: required(address, "The account."),
      slots: required(list(string), "Numbers of slots as hex of at most 32 bytes."),
      block,
    },
    result: wire<WireObject>("AccountProof", {
      type: "object",
      description: "The account, `accountProof` and `storageProof`; see EIP-1186.",
    }),
    scope: "state",
  }),
};

const number = required(blockNumber, "Number of the block after which the account is read.");

/** Recovery of signers: keys of Kaia accounts do not follow from their addresses. */
export const recovery = {
  recoverFromTransaction: method({
    summary:
      "Sender of a signed transaction, after checking its signatures against the account's key at a block.",
    params: { raw: required(rawTransaction, "The transaction, RLP-encoded."), number },
    result: address,
    scope: "state",
  }),
  recoverFromMessage: method({
    summary:
      "Address whose key signed a message; the given account if the signer's key is its account key at a block.",
    params: {
      address: required(address, "Account that is claimed to have signed."),
      message: required(message, "The message, without prefix."),
      signature: required(bytes, "65 bytes: r, s, v (27 or 28)."),
      number,
    },
    result: address,
    scope: "state",
  }),
};
