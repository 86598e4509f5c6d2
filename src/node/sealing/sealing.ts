import { Gasless } from "../../ledger/extensions/gasless/gasless.ts";
import { Lender } from "../../ledger/extensions/gasless/loan.ts";
import type { ValidatorSets } from "../../ledger/extensions/valset/validator-sets.ts";
import type { BlobVerifier } from "../../ledger/txpool/rules/blob-proofs.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import { BlockProducer } from "../../network/consensus/block-producer.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { SealingMode } from "../../network/consensus/solo/sealing-mode.ts";
import { SoloEngine } from "../../network/consensus/solo/solo-engine.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { loadBls } from "../../protocol/crypto/bls.ts";
import { type Address, equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { NodeKeyError } from "../keys/node-key.ts";
import type { NodeOptions } from "../node-options.ts";
import type { EngineParts, Ledger } from "../storage/ledger.ts";
import { sealingObstacle } from "./sealing-obstacle.ts";

/**
 * Opens gas abstraction. Lends gas unless disabled; a node without a key only answers queries.
 * @param isStrict - whether parts of bundles stay in the pool for a short time only, as in the reference node
 */
export function openGasless(
  { gasless, runtime = systemRuntime }: NodeOptions,
  ledger: Pick<Ledger, "chain" | "extensions">,
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

/** The engine of a node with a key. */
export function createSoloEngine(
  options: NodeOptions,
  { rules, validators }: EngineParts,
  own: { readonly nodeKey: Uint8Array; readonly clock: ChainClock; readonly settings: ProposerSettings },
  isDev: boolean,
): SoloEngine {
  const { runtime = systemRuntime, logger = silentLogger, sealing: mode = defaultMode(isDev) } = options;
  return new SoloEngine({
    ...{ rules, validators, runtime, mode, ...own },
    logger: logger.child("consensus"),
  });
}

/** The block producer of a node with a key. */
export function createProducer(
  { runtime = systemRuntime, logger = silentLogger }: NodeOptions,
  parts: {
    readonly ledger: Pick<Ledger, "chain" | "processor" | "branches" | "recovery">;
    readonly pool: ChainTransactionPool;
    readonly settings: ProposerSettings;
    readonly gasless: Gasless;
    readonly author: Address;
    readonly blobs: BlobVerifier;
    readonly timeLimitMs: number | undefined;
  },
): BlockProducer {
  const { ledger, pool, settings, gasless, author, blobs, timeLimitMs } = parts;
  const { chain, processor, branches, recovery } = ledger;
  return new BlockProducer({
    ...{ chain, processor, branches, runtime, settings, author, pool, timeLimitMs },
    verification: { recovery, blobs },
    ...(gasless.lends && { bundle: (candidates) => gasless.bundle(candidates) }),
    logger: logger.child("consensus"),
  });
}

/** Why a key is no validator of the next block; undefined if it is one. */
export function seatObstacle(
  { chain, extensions }: Pick<Ledger, "chain" | "extensions">,
  nodeKey: Uint8Array | undefined,
): string | undefined {
  return sealingObstacle(extensions.validators.qualified(chain.tip.header.number + 1n), nodeKey);
}

/** Warns that a node does not seal, unless it is meant to be an endpoint or a proxy. */
export function warnNotSealing({ logger = silentLogger, peers }: NodeOptions, obstacle: string): void {
  if (peers?.nodeType === undefined || peers.nodeType === "cn")
    logger.child("consensus").warn(`this node seals no blocks: ${obstacle}`);
}

/** Whether an address is the only validator of a block. */
export function isOnlyValidator(
  validators: Pick<ValidatorSets, "qualified">,
  number: bigint,
  address: Address,
): boolean {
  const [first, ...others] = validators.qualified(number);
  return first !== undefined && others.length === 0 && equalBytes(first, address);
}

/**
 * Checks that the chain's registry has the validator's BLS key, if the next block needs a random reveal.
 * @throws NodeKeyError if it is missing or another
 */
export async function checkBlsKey(
  { chain, extensions }: Pick<Ledger, "chain" | "extensions">,
  { address, blsKey }: { readonly address: Address; readonly blsKey: Uint8Array },
): Promise<void> {
  const number = chain.tip.header.number + 1n;
  const { blsKeys } = extensions;
  if (!chain.rulesAt(number).randao || blsKeys === undefined) return;
  const registered = blsKeys.all(number).get(bytesToHex(address))?.publicKey;
  const name = `validator ${bytesToHex(address)}`;
  if (registered === undefined)
    throw new NodeKeyError(
      "NODE_KEY",
      `${name} has no BLS key in the chain's registry, without which it cannot seal blocks`,
    );
  const own = (await loadBls()).publicKey(blsKey);
  if (!equalBytes(own, registered))
    throw new NodeKeyError(
      "NODE_KEY",
      `the BLS key of ${name} is not the one in the chain's registry: ${bytesToHex(registered)} (--bls-nodekey names another)`,
    );
}

function defaultMode(isDev: boolean): SealingMode {
  return isDev ? { kind: "onDemand" } : { kind: "interval", intervalMs: 1000 };
}
