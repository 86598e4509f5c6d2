import type { Waits } from "../../../platform/runtime/waits.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { mergeBlooms } from "../../../protocol/block/bloom.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { blobGas } from "../../../protocol/transaction/gas.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { BlockEnvironment } from "../environment.ts";
import { ExecutionError, REJECTED_FIELD, TransactionRejection } from "../errors.ts";
import { type BlockExecutor, UNINTERRUPTED } from "../jobs/block-executor.ts";
import { storeParentHash } from "../system-call.ts";
import type { AppliedTransaction } from "../transaction/transaction.ts";

/** What is known of a transaction that failed or wrote to the console beyond its receipt. Not part of the chain. */
export interface Remark {
  /** The revert output, truncated; empty on success. */
  readonly output: Uint8Array;
  /** The EVM's error text; absent on success. */
  readonly error?: string | undefined;
  /** Inputs of `console.log` calls; absent if there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/** Bytes of a revert output that are kept. */
const MAX_OUTPUT = 16 * 1024;
/** Bytes of console output per block after which that of further transactions is dropped. */
const MAX_WRITTEN = 1024 * 1024;

/** The outcome of a block's transactions. */
export interface BlockTotals {
  readonly receipts: readonly Receipt[];
  readonly gasUsed: bigint;
  readonly blobGasUsed: bigint;
  /** Sum of gas used × price, kei. */
  readonly totalFee: bigint;
  /** 256-byte bloom filter over all logs. */
  readonly bloom: Uint8Array;
  /** By transaction index; most transactions have none. */
  readonly remarks: ReadonlyMap<number, Remark>;
}

/** Changes the state after the last transaction of a block, for rewards and fork transitions. */
export type Finalize = (totals: BlockTotals, state: StateJournal) => void;

/** The totals of a block so far. */
export interface Tally {
  readonly receipts: Receipt[];
  gasUsed: bigint;
  blobGasUsed: bigint;
  totalFee: bigint;
  readonly remarks: Map<number, Remark>;
  /** Bytes of console output so far. */
  written: number;
}

/**
 * Executes a block built by another node: the system call, every transaction, then `finalize`. Leaves all changes in the
 * journal; does not compare anything with the header.
 * @throws ExecutionError if a transaction is invalid in the block
 */
export function* executeBlock(
  block: Block,
  environment: BlockEnvironment,
  finalize: Finalize,
  executor: BlockExecutor = UNINTERRUPTED,
): Waits<BlockTotals> {
  const tally = beginBlock(block.header, environment);
  const { transactions } = block;
  for (let index = 0; index < transactions.length; index++) {
    const tx = transactions[index] as Transaction;
    try {
      count(tally, tx, yield* executor.apply(tx, environment));
    } catch (error) {
      if (!(error instanceof TransactionRejection)) throw error;
      const details = { index, field: REJECTED_FIELD[error.code] };
      throw new ExecutionError("BLOCK_TRANSACTION", error.message, details, { cause: error });
    }
  }
  return endBlock(tally, environment, finalize);
}

/** Runs the system calls before the first transaction. */
export function beginBlock(header: Header, environment: BlockEnvironment): Tally {
  storeParentHash(header.parentHash, environment);
  return { receipts: [], gasUsed: 0n, blobGasUsed: 0n, totalFee: 0n, remarks: new Map(), written: 0 };
}

/** Adds an applied transaction. */
export function count(tally: Tally, tx: Transaction, applied: AppliedTransaction): void {
  const { receipt, fee, error } = applied;
  const console = tally.written < MAX_WRITTEN ? applied.console : undefined;
  for (const { length } of console ?? []) tally.written += length;
  if (error !== undefined || console !== undefined) {
    const output = error === undefined ? EMPTY_BYTES : applied.output.slice(0, MAX_OUTPUT);
    tally.remarks.set(tally.receipts.length, { output, error, console });
  }
  tally.receipts.push(receipt);
  tally.gasUsed += receipt.gasUsed;
  tally.blobGasUsed += blobGas(tx);
  tally.totalFee += fee;
}

/** Runs the hooks after the last transaction. */
export function endBlock(tally: Tally, { state }: BlockEnvironment, finalize: Finalize): BlockTotals {
  const totals = { ...tally, bloom: mergeBlooms(tally.receipts.map(({ bloom }) => bloom)) };
  finalize(totals, state);
  state.endTransaction();
  return totals;
}
