import { overWaits, type Waits } from "../../../platform/runtime/waits.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import { type BlockTraceWork, plainTransaction, type Traced } from "../../execution/job.ts";
import type { JobBlock } from "../../execution/jobs/run-job.ts";
import { storeParentHash } from "../../execution/system-call.ts";
import type { StateReader } from "../../state/state.ts";
import type { Blockchain } from "../blockchain.ts";
import { ChainError } from "../errors.ts";
import type { BlockProcessor } from "./block-processor.ts";

/** A tracing job: the work, and the state it starts from. */
export interface BlockTracePlan {
  readonly work: BlockTraceWork;
  readonly block: JobBlock;
  /** Number of the block whose state that is. */
  readonly stateNumber: bigint;
}

/** Re-executes blocks on their parent's state to observe their transactions. Nothing is stored. */
export class BlockReplay {
  readonly #chain: Blockchain;
  readonly #processor: BlockProcessor;

  constructor(chain: Blockchain, processor: BlockProcessor) {
    this.#chain = chain;
    this.#processor = processor;
  }

  /**
   * The environment, including the state, in which transaction `index` of a block was executed.
   * @returns a promise only if it has yielded
   * @throws ChainError `STATE_PRUNED`, `OUT_OF_RANGE`
   */
  before(block: Block, index: number): BlockEnvironment | Promise<BlockEnvironment> {
    return overWaits(this.#before(block, index));
  }

  *#before(block: Block, index: number): Waits<BlockEnvironment> {
    const environment = this.#begin(block);
    if (block.transactions.length === 0 && index === 0) return environment;
    if (block.transactions[index] === undefined) {
      const text = `transaction index ${index} out of range for block ${bytesToHex(blockHash(block.header)).slice(2)}`;
      throw new ChainError("OUT_OF_RANGE", text, { index });
    }
    const executor = this.#processor.executor("reads");
    for (const tx of block.transactions.slice(0, index)) yield* executor.apply(tx, environment);
    return environment;
  }

  /**
   * The job of tracing one transaction of a block, or all of them.
   * @throws ChainError `STATE_PRUNED`, `UNKNOWN_ANCESTOR`
   */
  plan(block: Block, traced: Traced, index?: number): BlockTracePlan {
    const { header, transactions } = block;
    const { evm, context, feeRecipient, computationLimit } = this.environment(block);
    const wanted = index === undefined ? transactions : transactions.slice(0, index + 1);
    return {
      work: {
        kind: "traceBlock",
        parentHash: header.parentHash,
        transactions: wanted.map((tx) => plainTransaction(tx, context.rules.chainId)),
        index,
        ...{ tracer: traced.tracer, timeoutMs: traced.timeoutMs },
      },
      block: { evm, context, feeRecipient, computationLimit, state: this.#stateBefore(block) },
      stateNumber: header.number - 1n,
    };
  }

  /**
   * The environment, including the state, at the very start of a block.
   * @throws ChainError `STATE_PRUNED`, `UNKNOWN_ANCESTOR`
   */
  environment({ header }: Block): BlockEnvironment {
    const parent = this.#chain.hash(header.number - 1n);
    if (parent === undefined || !equalBytes(parent, header.parentHash)) {
      throw new ChainError("UNKNOWN_ANCESTOR", `parent ${bytesToHex(header.parentHash)} not found`);
    }
    return this.#processor.replay(header, this.#stateBefore({ header }));
  }

  /** @throws ChainError `STATE_PRUNED` */
  #stateBefore({ header }: Pick<Block, "header">): StateReader {
    const state = this.#chain.stateAt(header.number - 1n);
    if (state !== undefined) return state;
    throw new ChainError("STATE_PRUNED", `historical state of block ${header.number - 1n} is not kept`);
  }

  #begin(block: Block): BlockEnvironment {
    const environment = this.environment(block);
    storeParentHash(block.header.parentHash, environment);
    return environment;
  }
}
