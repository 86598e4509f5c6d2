import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { BlockProcessor } from "../../ledger/chain/execute/block-processor.ts";
import { BlockReplay } from "../../ledger/chain/execute/block-replay.ts";
import type { PendingBlocks } from "../../ledger/chain/execute/pending.ts";
import type { BadBlocks } from "../../ledger/chain/tables/bad-blocks.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import type { Gasless } from "../../ledger/extensions/gasless/gasless.ts";
import type { Registry } from "./engine/registry.ts";
import { type CallLimits, CallRunner } from "./handlers/calls/call-runner.ts";
import { ChainReader } from "./handlers/chain/chain-reader.ts";
import { BlockTraces } from "./handlers/debug/block-traces.ts";
import { debugChainHandlers } from "./handlers/debug/chain.ts";
import { debugEventLoopHandlers } from "./handlers/debug/event-loop.ts";
import { debugGaslessHandlers } from "./handlers/debug/gasless.ts";
import { debugProfileHandlers, debugRuntimeHandlers, type RuntimeDeps } from "./handlers/debug/runtime.ts";
import { traceChainHandlers } from "./handlers/debug/trace-chain.ts";
import { debugTraceHandlers } from "./handlers/debug/traces.ts";
import type { Executor } from "./handlers/execution/executor.ts";
import type { HeavyReads } from "./services/heavy-reads.ts";
import { debugChain } from "./spec/debug/chain.ts";
import { debugEventLoop } from "./spec/debug/event-loop.ts";
import { debugGasless } from "./spec/debug/gasless.ts";
import { debugProfiles, debugRuntime } from "./spec/debug/runtime.ts";
import { debugSubscriptions, debugTraces } from "./spec/debug/traces.ts";

/** What the debug namespace looks into. */
export interface DebugDeps {
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  /** Absent on a node that makes no blocks. */
  readonly pending?: PendingBlocks | undefined;
  readonly evm: Evm;
  readonly badBlocks: () => BadBlocks;
  readonly reads: HeavyReads;
  readonly calls: CallLimits;
  readonly runtime: RuntimeDeps;
  /** Absent where no fees are lent. */
  readonly gasless?: Gasless | undefined;
  readonly executor: Executor;
  /** Told of failures that no caller hears of. */
  readonly onDefect: (method: string, error: unknown) => void;
  /** Most traces of blocks at the same time; absent = no limit. */
  readonly traceLimit?: number | undefined;
}

/** Adds the namespace debug. */
export function addDebug(registry: Registry, deps: DebugDeps): Registry {
  const { chain, badBlocks } = deps;
  const reader = new ChainReader(chain, deps.pending);
  const replay = new BlockReplay(chain, deps.processor);
  const { executor } = deps;
  const runner = new CallRunner({
    reader,
    executor,
    evm: deps.evm,
    limits: deps.calls,
    tellsBareReverts: false,
  });
  const blocks = new BlockTraces({ replay, executor, limit: deps.traceLimit });
  const onFailure = (error: unknown) => deps.onDefect("debug_subscribe", error);
  if (deps.gasless) registry.mount("debug", debugGasless, debugGaslessHandlers(deps.gasless));
  return registry
    .mount("debug", debugRuntime, debugRuntimeHandlers(deps.runtime))
    .mount("debug", debugProfiles, debugProfileHandlers(deps.runtime))
    .mount("debug", debugEventLoop, debugEventLoopHandlers(deps.runtime))
    .mount(
      "debug",
      debugChain,
      debugChainHandlers({ chain, reader, store: chain.store, replay, badBlocks, reads: deps.reads }),
    )
    .mount(
      "debug",
      debugTraces,
      debugTraceHandlers({ reader, runner, executor, blocks, badBlocks, dumps: deps.runtime.dumps }),
    )
    .addSubscriptions("debug", debugSubscriptions, traceChainHandlers({ reader, blocks, onFailure }));
}
