import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import type { BlockProcessor } from "../../../../ledger/chain/execute/block-processor.ts";
import { BlockReplay } from "../../../../ledger/chain/execute/block-replay.ts";
import type { BadBlocks } from "../../../../ledger/chain/tables/bad-blocks.ts";
import type { Gasless } from "../../../../ledger/extensions/gasless/gasless.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { TraceLimits } from "../../services/limits.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import type { NamespaceView } from "../chain/views.ts";
import type { Executor } from "../execution/executor.ts";
import { erigonHandlers, otterscanHandlers } from "../explorer/otterscan.ts";
import { debugChainHandlers } from "./chain.ts";
import { debugGaslessHandlers } from "./gasless.ts";
import { debugEventLoopHandlers } from "./process/event-loop.ts";
import { debugProfileHandlers, debugRuntimeHandlers, type RuntimeDeps } from "./process/runtime.ts";
import { BlockTraces } from "./traces/block-traces.ts";
import { flatTraceHandlers } from "./traces/flat-traces.ts";
import { traceChainHandlers } from "./traces/trace-chain.ts";
import { debugTraceHandlers } from "./traces/traces.ts";

/** What the debug namespace inspects. */
export interface DebugDeps {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly badBlocks: () => BadBlocks;
  readonly runtime: RuntimeDeps;
  /** Absent without gas abstraction. */
  readonly gasless?: Gasless | undefined;
  /** Called with failures whose reason is hidden from callers. */
  readonly onDefect: (method: string, error: unknown) => void;
  /** Maximum concurrent traces of blocks; absent = no limit. */
  readonly traceLimit?: number | undefined;
  readonly traceLimits: TraceLimits;
}

/** What the debug namespace shares with others. */
interface Shared {
  readonly reader: ChainReader;
  readonly reads: HeavyReads;
  readonly executor: Executor;
  /** For calls whose reverts are reported as by the reference. */
  readonly runner: CallRunner;
  /** Of `eth_`. */
  readonly view: NamespaceView;
  /** Amount minted by a block, in kei. */
  readonly minted: (number: bigint) => bigint;
}

/** Handlers of the debug namespace, and of its subscriptions. */
export function debugGroups(deps: DebugDeps, { reader, reads, executor, runner, view, minted }: Shared) {
  const { chain, badBlocks, runtime } = deps;
  const replay = new BlockReplay(chain, deps.processor);
  const blocks = new BlockTraces({ replay, executor, limits: deps.traceLimits, limit: deps.traceLimit });
  const onFailure = (error: unknown) => deps.onDefect("debug_subscribe", error);
  return {
    methods: {
      debugRuntime: debugRuntimeHandlers(runtime),
      debugProfiles: debugProfileHandlers(runtime),
      debugEventLoop: debugEventLoopHandlers(runtime),
      debugChain: debugChainHandlers({ chain, reader, store: chain.store, replay, badBlocks, reads }),
      debugTraces: debugTraceHandlers({ reader, runner, executor, blocks, badBlocks, dumps: runtime.dumps }),
      flatTraces: flatTraceHandlers({ reader, reads, runner, executor, blocks }),
      otterscan: otterscanHandlers({ reader, reads, blocks, view, minted }),
      erigon: erigonHandlers(reader, view),
      debugGasless: deps.gasless && debugGaslessHandlers(deps.gasless),
    },
    subscriptions: traceChainHandlers({ reader, blocks, onFailure }),
  };
}
