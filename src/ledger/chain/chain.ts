import type { Block } from "../../protocol/block/block.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { PlacedReceipt } from "../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../protocol/block/receipt-codec.ts";
import type { ChainConfig, ParamReader } from "../../protocol/params/config.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";
import type { Remark } from "../execution/block/block.ts";
import type { StateReader } from "../state/state.ts";

/** Position of a transaction in the canonical chain. */
export interface TransactionPosition {
  readonly blockNumber: bigint;
  readonly index: number;
}

/** A range of an account's nonces. */
export interface NonceRange {
  readonly from: bigint;
  /** Exclusive; below 2⁶⁴. */
  readonly to: bigint;
  /** Descending. */
  readonly newestFirst?: boolean;
}

/** A block with its hash and, once executed, its receipts. */
export interface ExecutedBlock {
  readonly block: Block;
  readonly hash: Hash;
  readonly receipts: readonly Receipt[];
  /** Details of transactions that failed or wrote to the console, by index; only for blocks just executed. */
  readonly remarks?: ReadonlyMap<number, Remark>;
  /** Blob sidecars by transaction index; only for blocks that this node builds. */
  readonly sidecars?: ReadonlyMap<number, BlobSidecar>;
}

/** The canonical chain as seen by the rooms above. Nothing is visible here before it is durable. */
export interface Chain {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly genesisHash: Hash;
  /** Newest published block. */
  readonly head: { readonly header: Header; readonly hash: Hash };

  rulesAt(number: bigint): Rules;
  header(number: bigint): Header | undefined;
  hash(number: bigint): Hash | undefined;
  /** Number of a canonical block; undefined for an unknown hash. */
  number(hash: Hash): bigint | undefined;
  block(number: bigint): Block | undefined;
  receipts(number: bigint): readonly Receipt[] | undefined;
  /**
   * Logs of a block; empty when there is no such block. Decodes nothing else.
   * @param indexes - ascending indexes, within the block, of the logs wanted; absent: all
   */
  logs(number: bigint, indexes?: readonly number[]): readonly PlacedLog[];
  /** One transaction of a block; the others are not decoded. */
  transaction(position: TransactionPosition): Transaction | undefined;
  /** The receipt of one transaction; the others are not decoded. */
  receipt(position: TransactionPosition): PlacedReceipt | undefined;
  /** Hash of one transaction of a block; nothing is decoded. */
  transactionHashAt(position: TransactionPosition): Hash | undefined;
  /** Position of a transaction by hash; undefined if it is not in the chain. */
  locate(transactionHash: Hash): TransactionPosition | undefined;
  /** Positions of an account's transactions, by nonce. Must be consumed before the next block is committed. */
  sent(sender: Address, nonces: NonceRange): Iterable<TransactionPosition>;
  /** Transaction hash for a sender transaction hash. */
  transactionHashBySender(senderTransactionHash: Hash): Hash | undefined;
  /** State after a block; undefined if it is not kept. */
  stateAt(number: bigint): StateReader | undefined;
  latestState(): StateReader;
  /** Base fee of the block after the head; 0 before magma. */
  nextBaseFee(): bigint;
  /** Address that sealed a block (zero address for the genesis). */
  author(header: Header): Address;

  /** @throws ChainError `CLOSED`, with the reason, while nothing can be written to disk */
  checkWritable(): void;
  /**
   * Number of changes so far to blocks and states that existed: removed blocks, edits. It changes with them, before `onHead` tells of
   * them, which waits for the disk.
   */
  readonly rewrites: number;
  /** Subscribes to new heads, reported in order once durable. @returns a function that unsubscribes */
  onHead(listener: (event: HeadEvent) => void): () => void;
}

/** A change of the head. Both lists are empty if only the state or base fee changed, as can happen on a development chain. */
export interface HeadEvent {
  /** Blocks that joined the canonical chain, oldest first. */
  readonly added: readonly ExecutedBlock[];
  /** Blocks that left it, newest first; empty without a reorganisation. */
  readonly removed: readonly ExecutedBlock[];
}
