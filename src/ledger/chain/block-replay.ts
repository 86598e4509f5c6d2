import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { TracerFactory } from "../evm/tracers/tracer.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import { TransactionRejection } from "../execution/errors.ts";
import { storeParentHash } from "../execution/system-call.ts";
import { tracedTransaction } from "../execution/traced-transaction.ts";
import { applyTransaction } from "../execution/transaction.ts";
import type { BlockProcessor } from "./block-processor.ts";
import type { Blockchain } from "./blockchain.ts";
import { ChainError } from "./errors.ts";

/** What a tracer saw of one transaction of a block. */
export interface TransactionTrace {
  readonly hash: Hash;
  readonly result: Json;
}

/** What stopped the trace of a transaction: TransactionRejection, EvmTimeout, TracerError. */
export interface FailedTrace {
  readonly hash: Hash;
  readonly error: unknown;
}

/** Runs blocks again on the state after their parent, to see what their transactions did. Nothing is kept. */
export class BlockReplay {
  readonly #chain: Blockchain;
  readonly #processor: BlockProcessor;

  constructor(chain: Blockchain, processor: BlockProcessor) {
    this.#chain = chain;
    this.#processor = processor;
  }

  /**
   * The environment, with its state, in which transaction `index` of a block ran.
   * @throws ChainError `STATE_PRUNED`, `OUT_OF_RANGE`
   */
  before(block: Block, index: number): BlockEnvironment {
    const environment = this.#begin(block);
    if (block.transactions.length === 0 && index === 0) return environment;
    if (block.transactions[index] === undefined) {
      const text = `transaction index ${index} out of range for block ${bytesToHex(blockHash(block.header)).slice(2)}`;
      throw new ChainError("OUT_OF_RANGE", text, { index });
    }
    for (const tx of block.transactions.slice(0, index)) applyTransaction(tx, environment);
    return environment;
  }

  /**
   * What a tracer shows of one transaction.
   * @param deadline - epoch milliseconds at which the run is given up
   * @throws ChainError `STATE_PRUNED`, TransactionRejection, EvmTimeout
   */
  trace(block: Block, index: number, factory: TracerFactory, deadline: number): Json {
    const environment = this.before(block, index);
    return traced(block.transactions[index] as Transaction, environment, factory, deadline);
  }

  /**
   * What a tracer shows of each transaction of a block, one after the other, or why it shows nothing.
   * @param deadline - asked before each transaction
   * @throws ChainError `STATE_PRUNED`
   */
  *traceAll(
    block: Block,
    factory: TracerFactory,
    deadline: () => number,
  ): Generator<TransactionTrace | FailedTrace> {
    const environment = this.#begin(block);
    for (const tx of block.transactions) {
      const hash = transactionHash(tx);
      try {
        yield { hash, result: traced(tx, environment, factory, deadline()) };
      } catch (error) {
        // Whatever stopped the trace took the transaction back; the ones after it need what it does.
        if (!(error instanceof TransactionRejection)) applyTransaction(tx, environment);
        yield { hash, error };
      }
    }
  }

  /**
   * The environment, with its state, at the very start of a block.
   * @throws ChainError `STATE_PRUNED`, `UNKNOWN_ANCESTOR`
   */
  environment({ header }: Block): BlockEnvironment {
    const parent = this.#chain.hash(header.number - 1n);
    if (parent === undefined || !equalBytes(parent, header.parentHash)) {
      throw new ChainError("UNKNOWN_ANCESTOR", `parent ${bytesToHex(header.parentHash)} not found`);
    }
    const state = this.#chain.stateAt(header.number - 1n);
    if (state === undefined) {
      throw new ChainError("STATE_PRUNED", `historical state of block ${header.number - 1n} is not kept`);
    }
    return this.#processor.replay(header, state);
  }

  #begin(block: Block): BlockEnvironment {
    const environment = this.environment(block);
    storeParentHash(block.header.parentHash, environment);
    return environment;
  }
}

function traced(
  tx: Transaction,
  environment: BlockEnvironment,
  factory: TracerFactory,
  deadline: number,
): Json {
  const tracer = factory(tracedTransaction(tx, environment.context), environment.state);
  const { receipt, output, error } = applyTransaction(tx, environment, { tracer: tracer.hooks, deadline });
  return tracer.result({ gasUsed: receipt.gasUsed, output, error });
}
