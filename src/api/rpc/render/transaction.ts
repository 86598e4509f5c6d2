import type { Header } from "../../../protocol/block/header.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import { anchoringToJson } from "../../../protocol/transaction/anchoring.ts";
import { effectiveGasPrice } from "../../../protocol/transaction/fees.ts";
import type { TransactionField } from "../../../protocol/transaction/fields.ts";
import * as fields from "../../../protocol/transaction/fields.ts";
import { senderTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { senderOf as senderIn } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { type Column, renderColumns, sorted } from "./columns.ts";

/** A transaction and its location; `block` is absent while it is in the pool. */
export interface LocatedTransaction {
  readonly tx: Transaction;
  readonly chainId: bigint;
  readonly block?: InclusionContext;
  readonly index: number;
}

/** What transactions and receipts show of their block. */
export interface InclusionContext {
  readonly header: Header;
  readonly hash: Hash;
  readonly rules: Rules;
}

/** The sender; the zero address where the signature has none. */
export function senderOf({ tx, chainId }: Pick<LocatedTransaction, "tx" | "chainId">): Address {
  if (tx.from !== undefined) return tx.from;
  try {
    return senderIn(tx, chainId);
  } catch {
    return ZERO_ADDRESS;
  }
}

/** Effective gas price; the offered price while the transaction is pending. */
export function paidGasPrice({ tx, block }: LocatedTransaction): bigint {
  return block === undefined ? tx.gasPrice : effectiveGasPrice(tx, block.header.baseFee, block.rules);
}

/** The location of a transaction, as shown in every object of the chain namespace. */
const placeColumns: readonly Column<LocatedTransaction>[] = [
  ["blockHash", ({ block }) => bytesToHex(block?.hash ?? ZERO_HASH)],
  ["blockNumber", ({ block }) => hexQuantity(block?.header.number ?? 0n)],
  ["from", (located) => bytesToHex(senderOf(located))],
  ["senderTxHash", ({ tx }) => bytesToHex(senderTransactionHash(tx))],
  ["transactionIndex", ({ index }) => hexQuantity(index)],
  ["type", ({ tx }) => tx.type.name],
  ["typeInt", ({ tx }) => tx.type.code],
];

type FieldColumn = Column<{ readonly tx: Transaction }>;

/** The members that come from the transaction's own fields, by its type; in the order of the wire. */
function fieldColumns(type: TransactionType): readonly FieldColumn[] {
  const payment = type.feeMode === "sender" ? [] : [fields.feePayer, fields.feePayerSignatures];
  return [...type.fields, fields.signatures, ...payment].flatMap((field) => {
    const isAnchor = type.effect === "anchor" && field === fields.input;
    return isAnchor ? [fieldColumn(field), anchored] : [fieldColumn(field)];
  });
}

const anchored: FieldColumn = ["inputJSON", ({ tx }) => anchoredOrNull(tx.input)];

function anchoredOrNull(input: Uint8Array): Json {
  try {
    return anchoringToJson(input);
  } catch (error) {
    if (error instanceof NodeError) return null;
    throw error;
  }
}

/** The member that shows a field of a transaction. */
export function fieldColumn({ json, property, schema }: TransactionField): FieldColumn {
  return [
    json,
    ({ tx }): Json => {
      const value = tx[property];
      if (value !== undefined) return schema.encode(value);
      return property === "feePayerSignatures" ? [] : null;
    },
  ];
}

/** All members but the hash, which receipts name differently. */
export function locatedColumns(type: TransactionType): readonly Column<LocatedTransaction>[] {
  const own = fieldColumns(type).filter(([name]) => name !== "from");
  const isDynamic = type.fields.some(({ json }) => json === "maxFeePerGas");
  const price: Column<LocatedTransaction> = ["gasPrice", (located) => hexQuantity(paidGasPrice(located))];
  return [...own, ...placeColumns, ...(isDynamic ? [price] : [])];
}

const layouts = new Map<TransactionType, readonly Column<LocatedTransaction>[]>();

/** A transaction as the chain namespace shows it. */
export function renderTransaction(located: LocatedTransaction): { [key: string]: Json } {
  const { type } = located.tx;
  let layout = layouts.get(type);
  if (layout === undefined) {
    layout = sorted([...locatedColumns(type), ["hash", ({ tx }) => bytesToHex(transactionHash(tx))]]);
    layouts.set(type, layout);
  }
  return renderColumns(layout, located);
}

/** A signed transaction without a location: the `tx` of signing results. Legacy transactions have no type members. */
export function renderSigned(tx: Transaction): { [key: string]: Json } {
  const { code, name } = tx.type;
  return {
    ...(code === 0 ? {} : { typeInt: code, type: name }),
    ...renderColumns(fieldColumns(tx.type), { tx }),
    hash: bytesToHex(transactionHash(tx)),
  };
}
