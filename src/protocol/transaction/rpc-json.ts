import type { Json } from "../codec/json/value.ts";
import type { Rules } from "../params/forks.ts";
import { type Address, type Hash, ZERO_HASH } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { effectiveGasPrice } from "./fees.ts";
import { senderTransactionHash, transactionHash } from "./hash.ts";
import { type JsonMembers, jsonViews, showsSender } from "./json.ts";
import type { Transaction } from "./transaction.ts";
import type { TransactionType } from "./types.ts";

/** Where a transaction stands in the chain. */
export interface TransactionPlace {
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
  /** Within the block, from 0. */
  readonly index: number;
  /** Of the block; absent before magma. */
  readonly baseFee?: bigint | undefined;
  readonly rules: Pick<Rules, "kaia">;
}

const quantity = (value: bigint | number): Json => `0x${value.toString(16)}`;

/** One member of the chain namespace's object. */
interface Member {
  readonly name: string;
  of(tx: Transaction, sender: Address, place: TransactionPlace | undefined): Json;
}

const common: readonly Member[] = [
  { name: "blockHash", of: (_, __, place) => bytesToHex(place?.blockHash ?? ZERO_HASH) },
  { name: "blockNumber", of: (_, __, place) => quantity(place?.blockNumber ?? 0n) },
  { name: "from", of: (_, sender) => bytesToHex(sender) },
  { name: "hash", of: (tx) => bytesToHex(transactionHash(tx)) },
  { name: "senderTxHash", of: (tx) => bytesToHex(senderTransactionHash(tx)) },
  { name: "transactionIndex", of: (_, __, place) => quantity(place?.index ?? 0) },
];

/** Types with a fee cap show beside it the price that they pay, or the cap while they are pending. */
const price: Member = { name: "gasPrice", of: (tx, _, place) => quantity(priceOf(tx, place)) };

/** @returns kei per gas */
export function priceOf(tx: Transaction, place: TransactionPlace | undefined): bigint {
  const capped = tx.maxPriorityFeePerGas !== undefined;
  return capped && place !== undefined ? effectiveGasPrice(tx, place.baseFee, place.rules) : tx.gasPrice;
}

const members = new Map<TransactionType, readonly Member[]>();

function membersOf(type: TransactionType): readonly Member[] {
  const own = jsonViews(type).filter((view) => !showsSender(view));
  const capped = own.some(({ name }) => name === "maxFeePerGas");
  return [...own, ...common, ...(capped ? [price] : [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * A transaction as the chain namespace shows it, keys in alphabetical order.
 * @param place - absent while the transaction is pending; then hash, number and index of the block are zero
 */
export function transactionToRpc(tx: Transaction, sender: Address, place?: TransactionPlace): JsonMembers {
  let own = members.get(tx.type);
  if (own === undefined) {
    own = membersOf(tx.type);
    members.set(tx.type, own);
  }
  const out: JsonMembers = {};
  for (const member of own) out[member.name] = member.of(tx, sender, place);
  return out;
}

/** The members that come from the type alone: no sender, hashes or block. Keys in alphabetical order. */
export function typeFieldsToRpc(tx: Transaction): JsonMembers {
  const own = jsonViews(tx.type).filter((view) => !showsSender(view));
  const entries = own.map((view) => [view.name, view.of(tx)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
