import { ChainError } from "../../ledger/chain/errors.ts";
import { BlockTurns } from "../../ledger/execution/jobs/course.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { createBlockThreads } from "../workers/block-threads.ts";

/** Milliseconds of a transaction of a block on the main thread, unless told otherwise. */
const DEFAULT_SLICE_MS = 3;

/** How the blocks of a node are run beside everything else, until it stops. */
export interface StoppableTurns {
  readonly turns: BlockTurns;
  /** Aborts the block being executed; nothing of it is kept. */
  stop(): Promise<void>;
}

/** Makes the turns of a node's blocks. @param sliceMs - longest time of a transaction on the main thread; 0 = none */
export function createBlockTurns(sliceMs: number = DEFAULT_SLICE_MS): StoppableTurns {
  const stopped = new AbortController();
  const threads = createBlockThreads();
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
