import { Gasless } from "../../ledger/extensions/gasless/gasless.ts";
import { Lender } from "../../ledger/extensions/gasless/loan.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import { BlockProducer } from "../../network/consensus/block-producer.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { ProposerSettings } from "../../network/consensus/solo/proposer-settings.ts";
import type { SealingMode } from "../../network/consensus/solo/sealing-mode.ts";
import { SoloEngine } from "../../network/consensus/solo/solo-engine.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Mining, NodeOptions } from "../node-options.ts";
import type { EngineParts, Ledger } from "../storage/ledger.ts";
import { sealingObstacle } from "./sealing-obstacle.ts";

/**
 * Lends fees unless told not to; a node without a key only answers questions.
 * @param isStrict - whether parts of bundles stay in the pool for a short time only, as the reference node has it
 */
export function openGasless(
  { gasless, runtime = systemRuntime }: NodeOptions,
  ledger: Ledger,
  lenderKey: Uint8Array | undefined,
  isStrict: boolean,
): Gasless {
  const { chain, extensions } = ledger;
  const lends = lenderKey !== undefined && gasless !== false;
  return new Gasless({
    ...{ chain, contracts: extensions.contracts },
    lender: lends ? new Lender(lenderKey, chain.config.chainId) : undefined,
    options: gasless || undefined,
    now: isStrict ? () => runtime.clock.elapsed() : undefined,
  });
}

/** The engine of a node with a key, over the rules of headers. */
export function createSoloEngine(
  options: NodeOptions,
  { rules, validators }: EngineParts,
  own: { readonly nodeKey: Uint8Array; readonly clock: ChainClock; readonly settings: ProposerSettings },
  isDev: boolean,
): SoloEngine {
  const { runtime = systemRuntime, logger = silentLogger } = options;
  const mode = sealingMode(options, isDev);
  return new SoloEngine({
    ...{ rules, validators, runtime, mode, ...own },
    logger: logger.child("consensus"),
  });
}

/** The block producer of a node with a key. */
export function createProducer(
  { runtime = systemRuntime, logger = silentLogger }: NodeOptions,
  parts: {
    readonly ledger: Ledger;
    readonly pool: ChainTransactionPool;
    readonly settings: ProposerSettings;
    readonly gasless: Gasless;
    readonly author: Address;
    readonly timeLimitMs: number | undefined;
  },
): BlockProducer {
  const { ledger, pool, settings, gasless, author, timeLimitMs } = parts;
  const { chain, processor } = ledger;
  return new BlockProducer({
    ...{ chain, processor, runtime, settings, author, pool, timeLimitMs },
    ...(gasless.lends && { bundle: (candidates) => gasless.bundle(candidates) }),
    logger: logger.child("consensus"),
  });
}

/** Whether this node is the one that seals blocks; if not, the log says why. */
export function isSealer(
  { logger = silentLogger }: NodeOptions,
  { chain, extensions }: Ledger,
  nodeKey: Uint8Array | undefined,
): boolean {
  const qualified = extensions.validators.qualified(chain.tip.header.number + 1n);
  const obstacle = sealingObstacle(qualified, nodeKey);
  if (obstacle === undefined) return true;
  logger.child("consensus").warn(`this node makes no blocks: ${obstacle}`);
  return false;
}

function sealingMode({ mining }: NodeOptions, isDev: boolean): SealingMode {
  const chosen: Mining = mining ?? (isDev ? { mode: "instant" } : { mode: "interval", intervalMs: 1000 });
  if (chosen.mode === "interval")
    return { kind: "interval", intervalMs: chosen.intervalMs, onDemand: chosen.instant ?? false };
  return { kind: chosen.mode === "instant" ? "onDemand" : "manual" };
}
