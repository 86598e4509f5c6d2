import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import * as fields from "../../../protocol/transaction/fields.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Signature, Transaction } from "../../../protocol/transaction/transaction.ts";
import { hexQuantity } from "./columns.ts";
import { type LocatedTransaction, paidGasPrice, senderOf } from "./transaction.ts";

/** Number of a type in Ethereum's own count; Kaia types look like legacy ones. */
export function ethTypeNumber({ type }: Pick<Transaction, "type">): number {
  return type.code > 0xff ? type.code & 0xff : 0;
}

/** Recipient; Kaia types without one show their sender. */
export function ethRecipient(located: LocatedTransaction): string | null {
  const { to, type } = located.tx;
  if (to !== undefined) return bytesToHex(to);
  const without = type.effect === "accountUpdate" || type.effect === "cancel" || type.effect === "anchor";
  return without ? bytesToHex(senderOf(located)) : null;
}

/** A transaction as Ethereum clients expect it; the three members of its place are null while it waits. */
export function renderEthTransaction(located: LocatedTransaction): { [key: string]: Json } {
  const { tx, block, index } = located;
  const number = ethTypeNumber(tx);
  const price = tx.maxPriorityFeePerGas === undefined ? tx.gasPrice : paidGasPrice(located);
  return {
    blockHash: block === undefined ? null : bytesToHex(block.hash),
    blockNumber: block === undefined ? null : hexQuantity(block.header.number),
    from: bytesToHex(senderOf(located)),
    gas: hexQuantity(tx.gas),
    gasPrice: hexQuantity(price),
    ...(number >= 2 ? feeCaps(tx) : {}),
    hash: bytesToHex(transactionHash(tx)),
    input: bytesToHex(tx.input),
    nonce: hexQuantity(tx.nonce),
    to: ethRecipient(located),
    transactionIndex: block === undefined ? null : hexQuantity(index),
    value: hexQuantity(tx.value),
    ...typedMembers(tx),
    ...signatureMembers(tx.signatures[0]),
  };
}

/** A signed transaction as `eth_signTransaction` and `eth_fillTransaction` show it. */
export function renderEthSigned(tx: Transaction): { [key: string]: Json } {
  const capped = tx.maxPriorityFeePerGas !== undefined;
  const { type, ...typed } = typedMembers(tx) as { type: Json };
  return {
    type,
    nonce: hexQuantity(tx.nonce),
    gasPrice: capped ? null : hexQuantity(tx.gasPrice),
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    ...(capped ? feeCaps(tx) : {}),
    gas: hexQuantity(tx.gas),
    value: hexQuantity(tx.value),
    input: bytesToHex(tx.input),
    ...signatureMembers(tx.signatures[0]),
    to: tx.to === undefined ? null : bytesToHex(tx.to),
    ...typed,
    hash: bytesToHex(transactionHash(tx)),
  };
}

function feeCaps({ gasPrice, maxPriorityFeePerGas, maxFeePerBlobGas }: Transaction): { [key: string]: Json } {
  return {
    maxFeePerGas: hexQuantity(gasPrice),
    maxPriorityFeePerGas: hexQuantity(maxPriorityFeePerGas ?? 0n),
    ...(maxFeePerBlobGas === undefined ? {} : { maxFeePerBlobGas: hexQuantity(maxFeePerBlobGas) }),
  };
}

function typedMembers(tx: Transaction): { [key: string]: Json } {
  const type = hexQuantity(ethTypeNumber(tx));
  if (ethTypeNumber(tx) === 0) return { type };
  const { blobVersionedHashes, authorizationList } = tx;
  return {
    type,
    accessList: fields.accessList.schema.encode(tx.accessList ?? []),
    chainId: hexQuantity(tx.chainId ?? 0n),
    ...(blobVersionedHashes && { blobVersionedHashes: fields.blobHashes.schema.encode(blobVersionedHashes) }),
    ...(authorizationList && {
      authorizationList: fields.authorizationList.schema.encode(authorizationList),
    }),
  };
}

function signatureMembers(signature: Signature | undefined): { [key: string]: Json } {
  const { v, r, s } = signature ?? { v: 0n, r: 0n, s: 0n };
  return { v: hexQuantity(v), r: hexQuantity(r), s: hexQuantity(s) };
}
