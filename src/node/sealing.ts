import { Gasless } from "../ledger/extensions/gasless/gasless.ts";
import { Lender } from "../ledger/extensions/gasless/loan.ts";
import type { PoolService } from "../ledger/txpool/pool-service.ts";
import type { ChainClock } from "../network/consensus/solo/chain-clock.ts";
import type { ProposerSettings } from "../network/consensus/solo/proposer-settings.ts";
import type { SealerParts } from "../network/consensus/solo/sealer.ts";
import type { SealingMode } from "../network/consensus/solo/sealing-mode.ts";
import { SealingService } from "../network/consensus/solo/sealing-service.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import { silentLogger } from "../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import type { Ledger } from "./ledger.ts";
import type { Mining, NodeOptions } from "./node-options.ts";
import { whyNotSealing } from "./seal-alone.ts";

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
    now: isStrict ? () => runtime.clock.now() : undefined,
  });
}

/** What blocks are made of by the holder of a key. */
export function sealerParts(
  { runtime = systemRuntime, logger = silentLogger }: NodeOptions,
  parts: {
    readonly ledger: Ledger;
    readonly pool: PoolService;
    readonly clock: ChainClock;
    readonly proposer: ProposerSettings;
    readonly gasless: Gasless;
  },
  nodeKey: Uint8Array,
): SealerParts {
  const { chain, processor, consensus } = parts.ledger;
  return {
    ...{ chain, processor, consensus, runtime },
    author: addressOfPublicKey(publicKeyOf(nodeKey)),
    pool: parts.pool.pool,
    clock: parts.clock,
    settings: parts.proposer,
    ...(parts.gasless.lends && { bundle: (candidates) => parts.gasless.bundle(candidates) }),
    logger: logger.child("consensus"),
  };
}

/** Seals on a chain whose council is this node alone; a node that is not the validator only follows. */
export function createSealing(
  options: NodeOptions,
  sealer: { readonly parts: SealerParts | undefined; readonly nodeKey: Uint8Array | undefined },
  { chain, extensions }: Ledger,
  isDev: boolean,
): SealingService | undefined {
  const { parts, nodeKey } = sealer;
  const qualified = extensions.validators.qualified(chain.tip.header.number + 1n);
  const reason = whyNotSealing(qualified, nodeKey);
  if (reason === undefined && parts !== undefined)
    return new SealingService(parts, sealingMode(options, isDev));
  const { logger = silentLogger } = options;
  logger.child("consensus").warn(`this node makes no blocks: ${reason}`);
  return undefined;
}

function sealingMode({ mining }: NodeOptions, isDev: boolean): SealingMode {
  const chosen: Mining = mining ?? (isDev ? { mode: "instant" } : { mode: "interval", intervalMs: 1000 });
  if (chosen.mode === "interval")
    return { kind: "interval", intervalMs: chosen.intervalMs, onDemand: chosen.instant ?? false };
  return { kind: chosen.mode === "instant" ? "onDemand" : "manual" };
}
