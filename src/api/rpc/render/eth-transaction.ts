import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import * as fields from "../../../protocol/transaction/fields.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import type { Signature, Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { type Column, renderColumns } from "./columns.ts";
import { fieldColumn, type LocatedTransaction, paidGasPrice, senderOf } from "./transaction.ts";

/** Number of a type in Ethereum's own count; Kaia types look like legacy ones. */
export function ethTypeNumber({ type }: Pick<Transaction, "type">): number {
  return type.ethereum ? type.code & 0xff : 0;
}

/** Recipient; Kaia types without one show their sender. */
export function ethRecipient(located: LocatedTransaction): string | null {
  const { type } = located.tx;
  const to = recipientOf(located.tx);
  if (to !== undefined) return bytesToHex(to);
  return type.fields.some(({ property }) => property === "to") ? null : bytesToHex(senderOf(located));
}

type FieldColumns = readonly Column<{ readonly tx: Transaction }>[];

/** The additional members of an Ethereum typed transaction, by position. */
interface Layout {
  readonly caps: FieldColumns;
  readonly last: FieldColumns;
  /** Of a single transaction: the same members in another order. */
  readonly signedCaps: FieldColumns;
  readonly signedLast: FieldColumns;
}

const layouts = new Map<TransactionType, Layout>();

function layoutOf(type: TransactionType): Layout {
  let layout = layouts.get(type);
  if (layout === undefined) {
    const { feeCap, tip, blobFeeCap, accessList, chainId, blobHashes, authorizationList } = fields;
    layout = {
      caps: columnsOf(type, [feeCap, tip, blobFeeCap]),
      last: columnsOf(type, [accessList, chainId, blobHashes, authorizationList]),
      signedCaps: columnsOf(type, [tip, feeCap]),
      signedLast: columnsOf(type, [chainId, accessList, blobFeeCap, blobHashes, authorizationList]),
    };
    layouts.set(type, layout);
  }
  return layout;
}

/** Columns of those wanted fields that the type has; empty lists other than the access list are omitted. */
function columnsOf(type: TransactionType, wanted: readonly fields.TransactionField[]): FieldColumns {
  if (ethTypeNumber({ type }) === 0) return [];
  const names = new Set(type.fields.map(({ json }) => json));
  const present = wanted.filter(({ json }) => names.has(json));
  return present.map((field) => (field === fields.accessList ? fieldColumn(field) : unlessEmpty(field)));
}

function unlessEmpty(field: fields.TransactionField): FieldColumns[number] {
  const [name, render] = fieldColumn(field);
  const isEmpty = ({ [field.property]: value }: Transaction) => Array.isArray(value) && value.length === 0;
  return [name, (source) => (isEmpty(source.tx) ? undefined : render(source))];
}

/** A transaction as Ethereum clients expect it; the three members of its location are null while it is pending. */
export function renderEthTransaction(located: LocatedTransaction): { [key: string]: Json } {
  const { tx, block, index } = located;
  const { caps, last } = layoutOf(tx.type);
  const price = tx.maxPriorityFeePerGas === undefined ? tx.gasPrice : paidGasPrice(located);
  return {
    blockHash: block === undefined ? null : bytesToHex(block.hash),
    blockNumber: block === undefined ? null : hexQuantity(block.header.number),
    from: bytesToHex(senderOf(located)),
    gas: hexQuantity(tx.gas),
    gasPrice: hexQuantity(price),
    ...renderColumns(caps, located),
    hash: bytesToHex(transactionHash(tx)),
    input: bytesToHex(tx.input),
    nonce: hexQuantity(tx.nonce),
    to: ethRecipient(located),
    transactionIndex: block === undefined ? null : hexQuantity(index),
    value: hexQuantity(tx.value),
    type: hexQuantity(ethTypeNumber(tx)),
    ...renderColumns(last, located),
    ...signatureMembers(tx.signatures[0]),
  };
}

/** A signed transaction as `eth_signTransaction` and `eth_fillTransaction` show it. */
export function renderEthSigned(tx: Transaction): { [key: string]: Json } {
  const { signedCaps, signedLast } = layoutOf(tx.type);
  return {
    type: hexQuantity(ethTypeNumber(tx)),
    nonce: hexQuantity(tx.nonce),
    gasPrice: tx.maxPriorityFeePerGas === undefined ? hexQuantity(tx.gasPrice) : null,
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    ...renderColumns(signedCaps, { tx }),
    gas: hexQuantity(tx.gas),
    value: hexQuantity(tx.value),
    input: bytesToHex(tx.input),
    ...signatureMembers(tx.signatures[0]),
    to: tx.to === undefined ? null : bytesToHex(tx.to),
    ...renderColumns(signedLast, { tx }),
    hash: bytesToHex(transactionHash(tx)),
  };
}

function signatureMembers(signature: Signature | undefined): { [key: string]: Json } {
  const { v, r, s } = signature ?? { v: 0n, r: 0n, s: 0n };
  return { v: hexQuantity(v), r: hexQuantity(r), s: hexQuantity(s) };
}
