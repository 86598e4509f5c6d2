import type { Block } from "../../protocol/block/block.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { PlacedReceipt } from "../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../protocol/block/receipt-codec.ts";
import type { ChainConfig, ParamReader } from "../../protocol/params/config.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateReader } from "../state/state.ts";

/** Where a transaction stands in the canonical chain. */
export interface TransactionPlace {
  readonly blockNumber: bigint;
  readonly index: number;
}

/** Nonces of an account. */
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
  /** By the index of their transactions, of a block that this node makes. */
  readonly sidecars?: ReadonlyMap<number, BlobSidecar>;
}

/** The canonical chain as everything above reads it. Nothing is visible here before it is durable. */
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
   * @param places - of the logs that are wanted, among those of the block, ascending; absent: all
   */
  logs(number: bigint, places?: readonly number[]): readonly PlacedLog[];
  /** A transaction of a block. Decodes no other. */
  transaction(place: TransactionPlace): Transaction | undefined;
  /** The receipt of a transaction. Decodes no other. */
  receipt(place: TransactionPlace): PlacedReceipt | undefined;
  /** Hash of a transaction of a block. Decodes nothing. */
  transactionHashAt(place: TransactionPlace): Hash | undefined;
  /** Place of a transaction by its hash. */
  place(transactionHash: Hash): TransactionPlace | undefined;
  /** Places of the transactions that an account sent, by nonce. To be finished before the next block is committed. */
  sent(sender: Address, nonces: NonceRange): Iterable<TransactionPlace>;
  /** Transaction hash of a sender transaction hash. */
  transactionHashBySender(senderTransactionHash: Hash): Hash | undefined;
  /** State after a block; undefined when its history is not kept. */
  stateAt(number: bigint): StateReader | undefined;
  latestState(): StateReader;
  /** Base fee of the block after the head; 0 before magma. */
  nextBaseFee(): bigint;
  /** Address that sealed a block (zero address for the genesis). */
  author(header: Header): Address;

  /** @throws ChainError `CLOSED` while the disk takes nothing, with the reason */
  checkWritable(): void;
  /** Called with each new head after it is durable, in order. Returns the unsubscribe function. */
  onHead(listener: (event: HeadEvent) => void): () => void;
}

/** What changed at the head; both lists are empty when only its state did, as on a development chain. */
export interface HeadEvent {
  /** Blocks that joined the canonical chain, oldest first. */
  readonly added: readonly ExecutedBlock[];
  /** Blocks that left it, newest first; empty without a reorganisation. */
  readonly removed: readonly ExecutedBlock[];
}
