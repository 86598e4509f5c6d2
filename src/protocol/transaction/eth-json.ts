import type { Json } from "../codec/json/value.ts";
import type { Address } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import * as fields from "./fields.ts";
import { transactionHash } from "./hash.ts";
import type { JsonMembers } from "./json.ts";
import { priceOf, type TransactionPlace } from "./rpc-json.ts";
import type { Signature, Transaction } from "./transaction.ts";

const quantity = (value: bigint | number): Json => `0x${value.toString(16)}`;
const UNSIGNED: Signature = { v: 0n, r: 0n, s: 0n };

/**
 * A transaction as the eth namespace shows it, in the order of Ethereum's nodes. Kaia types appear as legacy
 * transactions with the sender's first signature.
 * @param place - absent while the transaction is pending; then hash, number and index of the block are null
 */
export function transactionToEthRpc(tx: Transaction, sender: Address, place?: TransactionPlace): JsonMembers {
  return {
    blockHash: place === undefined ? null : bytesToHex(place.blockHash),
    blockNumber: place === undefined ? null : quantity(place.blockNumber),
    from: bytesToHex(sender),
    gas: quantity(tx.gas),
    gasPrice: quantity(priceOf(tx, place)),
    ...only(tx, [fields.feeCap, fields.tip, fields.blobFeeCap]),
    hash: bytesToHex(transactionHash(tx)),
    input: bytesToHex(tx.input),
    nonce: quantity(tx.nonce),
    to: recipientOf(tx, sender),
    transactionIndex: place === undefined ? null : quantity(place.index),
    value: quantity(tx.value),
    type: ethereumType(tx),
    ...only(tx, [fields.accessList, fields.chainId, fields.blobHashes, fields.authorizationList]),
    ...signature(tx),
  };
}

/** A transaction by itself as the eth namespace answers when it fills or signs one. */
export function transactionToEthJson(tx: Transaction): JsonMembers {
  const capped = tx.maxPriorityFeePerGas !== undefined;
  return {
    type: ethereumType(tx),
    nonce: quantity(tx.nonce),
    gasPrice: capped ? null : quantity(tx.gasPrice),
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    ...only(tx, [fields.tip, fields.feeCap]),
    gas: quantity(tx.gas),
    value: quantity(tx.value),
    input: bytesToHex(tx.input),
    ...signature(tx),
    to: tx.to === undefined ? null : bytesToHex(tx.to),
    ...only(tx, [
      fields.chainId,
      fields.accessList,
      fields.blobFeeCap,
      fields.blobHashes,
      fields.authorizationList,
    ]),
    hash: bytesToHex(transactionHash(tx)),
  };
}

/** The members that an Ethereum typed transaction has of those wanted; empty lists but the access list are left out. */
function only(tx: Transaction, wanted: readonly fields.Field[]): JsonMembers {
  const out: JsonMembers = {};
  const names = new Set(tx.type.fields.map((field) => field.json));
  for (const { json, property, schema } of tx.type.code > 0xff ? wanted : []) {
    const value = tx[property];
    const blank = json !== "accessList" && Array.isArray(value) && value.length === 0;
    if (names.has(json) && !blank) out[json] = schema.encode(value);
  }
  return out;
}

function ethereumType({ type }: Transaction): Json {
  return quantity(type.ethereum ? type.code & 0xff : 0);
}

/** Ethereum knows no transaction without `to` but creations; others show their sender. */
function recipientOf({ type, to }: Transaction, sender: Address): Json {
  if (to !== undefined) return bytesToHex(to);
  return type.fields.some((field) => field.property === "to") ? null : bytesToHex(sender);
}

function signature({ signatures: [first = UNSIGNED] }: Transaction): JsonMembers {
  return { v: quantity(first.v), r: quantity(first.r), s: quantity(first.s) };
}
