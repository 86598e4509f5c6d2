import { ChainError } from "../../ledger/chain/errors.ts";
import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { BlockTurns } from "../../ledger/execution/jobs/block-executor.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { limitOptions } from "../options/service/limits.ts";
import { createBlockThreads } from "../workers/block-threads.ts";

const { blockSliceMs } = limitOptions;

/** The scheduling of block execution, until the node stops. */
export interface StoppableTurns {
  readonly turns: BlockTurns;
  /** Aborts the block being executed; nothing of it is kept. */
  stop(): Promise<void>;
}

/** Settings for executing a node's blocks. */
export interface BlockTurnTerms {
  /** Time limit of a transaction on the main thread in milliseconds; 0 = none. */
  readonly sliceMs?: number | undefined;
  /** Which codes the threads compile. */
  readonly compile?: CompileMode | undefined;
}

/** Creates the scheduling of a node's block execution. */
export function createBlockTurns(terms: BlockTurnTerms = {}): StoppableTurns {
  const { sliceMs = blockSliceMs.default, compile } = terms;
  const stopped = new AbortController();
  const threads = createBlockThreads(compile);
  const { signal } = stopped;
  return {
    turns: new BlockTurns({ slice: new TimeSlice(), threads, sliceMs, signal }),
    async stop() {
      const reason = new ChainError("CLOSED", "the node is stopping");
      stopped.abort(reason);
      await threads?.close(reason);
    },
  };
}
