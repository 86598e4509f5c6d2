import { join, resolve } from "node:path";
import type { Provider } from "../api/rpc/transports/provider.ts";
import type { Blockchain } from "../ledger/chain/blockchain.ts";
import type { Genesis } from "../ledger/chain/genesis/genesis.ts";
import { readGenesis } from "../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../ledger/chain/genesis/genesis-init.ts";
import { createTransactionPool } from "../ledger/txpool/pool-service.ts";
import type { ConsensusEngine } from "../network/consensus/engine.ts";
import { createFollower } from "../network/consensus/follower.ts";
import { BlockPreviews } from "../network/consensus/solo/block-previews.ts";
import { ChainClock } from "../network/consensus/solo/chain-clock.ts";
import type { ProposerSettings } from "../network/consensus/solo/proposer-settings.ts";
import type { SoloEngine } from "../network/consensus/solo/solo-engine.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import { silentLogger } from "../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import type { Keystore } from "../wallet/wallet.ts";
import { createNodeBudget } from "./budget.ts";
import { checkOptions } from "./check-options.ts";
import { watchClock } from "./clock-watch.ts";
import { DEV_CHAIN, type DevSetup, prepareDevChain } from "./dev/dev-chain.ts";
import { createDevControls } from "./dev/dev-controls.ts";
import { DevRules } from "./dev/dev-rules.ts";
import { DevError } from "./dev/errors.ts";
import { openFeePayer } from "./dev/fee-payer/open-fee-payer.ts";
import { noteBlock, withNotedBlock } from "./dev/fork/fork-note.ts";
import { Forking } from "./dev/fork/forking.ts";
import { openFork, type RemoteChain } from "./dev/fork/open-fork.ts";
import { impersonatingWallets } from "./dev/impersonating-wallets.ts";
import { keepStateFile, loadStateFile } from "./dev/state-files.ts";
import { poolRulesOf } from "./dialect.ts";
import { watchDisk } from "./disk-watch.ts";
import { type Endpoints, openEndpoints } from "./endpoints.ts";
import { checkExposure } from "./exposure.ts";
import { readGenesisJson } from "./genesis.ts";
import { healthOf, type NodeHealth } from "./health.ts";
import { createIndexingLog } from "./indexing-log.ts";
import { createInstruments } from "./instruments/create-instruments.ts";
import { type EngineParts, openLedger } from "./ledger.ts";
import { serveMetrics } from "./metrics-server.ts";
import { createMiner } from "./miner.ts";
import { readOrCreateNodeKey } from "./node-key.ts";
import type { DevChain, NodeOptions } from "./node-options.ts";
import { openWallets } from "./open-wallets.ts";
import { createProducer, createSoloEngine, isSealer, openGasless } from "./sealing.ts";
import { clientVersion, devClientVersion } from "./version.ts";
import { createBlobVerification } from "./workers/blob-verifier.ts";
import { createExecution } from "./workers/execution-threads.ts";
import { createRecoveryPool } from "./workers/recovery-pool.ts";

/** A running node. */
export interface Node extends AsyncDisposable {
  /** Calls the node without a socket; every method of every module. @see EIP-1193 */
  readonly provider: Provider;
  /** Where it listens now: `http://127.0.0.1:8551`, `ws://…`, the path of the IPC socket. */
  readonly endpoints: Endpoints["addresses"] & { readonly feePayer?: string; readonly metrics?: string };
  readonly chain: Blockchain;
  readonly wallets: Keystore;
  /** What a development chain was made with. */
  readonly dev?: DevSetup;
  /** What the chain goes on from, on a fork. */
  readonly fork: { readonly origin: string; readonly blockNumber: bigint } | undefined;
  /** Whether it can do all it is there for: read, take transactions, make or take blocks. */
  health(): NodeHealth;
  /** Ends everything in order; the last block is on disk afterwards. Can be called twice. */
  stop(): Promise<void>;
}

/**
 * Builds and starts a node. Without options it is a development chain in memory, with no port.
 * @throws NodeError of the room that cannot start: a chain of another genesis, a folder in use, a port taken
 */
export async function createNode(options: NodeOptions = {}): Promise<Node> {
  checkOptions(options);
  const started: (() => Promise<void>)[] = [];
  try {
    return await build(options, started);
  } catch (error) {
    await stopAll(started).catch(() => undefined); // what went wrong first says more
    throw error;
  }
}

async function build(options: NodeOptions, started: (() => Promise<void>)[]): Promise<Node> {
  const { runtime = systemRuntime, logger = silentLogger, dataDir } = options;
  const fork = options.fork && (await openFork(withNotedBlock(options.fork, dataDir, runtime), runtime));
  if (fork) started.push(() => fork.close());
  const dev = devChainOf(options, fork);
  if (fork && !dev) throw new DevError("FORK", "only a development chain goes on from another one");
  const hasDevelopmentKeys = dev !== undefined && dev.accounts > 0;
  await checkExposure(options, hasDevelopmentKeys);
  const setup = dev && (await prepareDevChain(dev));
  const nodeKey =
    options.nodeKey ??
    setup?.validatorKey ??
    (dataDir ? readOrCreateNodeKey(dataDir, runtime.randomness) : undefined);
  const recovery = (chainId: bigint) => {
    const pool = createRecoveryPool(chainId);
    started.push(() => pool.close());
    return pool;
  };
  const unwatchClock = watchClock(runtime, logger);
  started.push(async () => unwatchClock());
  const instruments = createInstruments(runtime, options.logLevels, dumpDirOf(options));
  started.push(async () => instruments.stop());
  const genesis = genesisOf(options, setup);
  const { validatorKey } = setup ?? {};
  const forking =
    genesis && validatorKey
      ? new Forking({
          ...{ fork, options: options.fork, genesis, validatorKey, runtime },
          allowPrivate: options.allowPrivateForks ?? false,
        })
      : undefined;
  if (forking) started.push(() => forking.close());
  const devRules = setup && new DevRules(() => forking?.fork);
  const settings: ProposerSettings = { rewardbase: options.rewardbase };
  const clock = new ChainClock(runtime.clock);
  let solo: SoloEngine | undefined;
  const engine = (parts: EngineParts): ConsensusEngine => {
    if (!nodeKey) return createFollower(parts.rules);
    solo = createSoloEngine(options, parts, { nodeKey, clock, settings }, setup !== undefined);
    return solo;
  };
  const ledger = await openLedger({
    ...(dataDir && { directory: join(dataDir, "chaindata") }),
    ...(genesis && { genesis }),
    ...(nodeKey && { nodeKey }),
    engine,
    history: options.history ?? (setup ? "archive" : undefined),
    recovery,
    overrides: devRules,
    fork: forking?.ledgerFork(fork),
    runtime,
    blockTimers: instruments.blockTimers,
    onIndexing: createIndexingLog(logger.child("chain"), runtime.clock),
  });
  started.push(() => ledger.store.close());
  watchDisk(ledger.own.health, ledger.own.stats(), logger.child("db"));
  if (fork) await noteBlock(fork, dataDir, runtime);

  const wallets = await openWallets(options, setup, ledger.chain);
  started.push(() => wallets.close());
  const gasless = openGasless(options, ledger, nodeKey, setup === undefined);
  const blobs = createBlobVerification();
  started.push(() => blobs.close());
  const pool = createTransactionPool({
    blobs,
    chain: ledger.chain,
    recovery: ledger.recovery,
    lending: gasless.lends ? gasless : undefined,
    runtime,
    logger: logger.child("txpool"),
    options: { ...poolRulesOf(options), ...options.pool, journal: journalPath(options) },
  });
  started.push(() => pool.stop());
  const author = nodeKey && addressOfPublicKey(publicKeyOf(nodeKey));
  const producer = author && createProducer(options, { ledger, pool, settings, gasless, author });
  const sealing = isSealer(options, ledger, nodeKey) ? solo?.sealing : undefined;
  started.push(() => ledger.engine.stop()); // a node that cannot start comes no further
  await pool.start();
  if (sealing && producer) ledger.engine.start(producer);
  instruments.watch(ledger, pool.pool);

  const rpcWallets = devRules ? impersonatingWallets(wallets, devRules.impersonation) : wallets;
  const budget = createNodeBudget(options.sharedLimits);
  instruments.watchClients(budget);
  const controls =
    devRules && sealing && forking && setup
      ? createDevControls({
          ...{ rules: devRules, sealing, clock, wallets: rpcWallets },
          ...{ ledger, forking, pool: pool.pool, start: setup },
          randomness: runtime.randomness,
          pace: budget.slice,
        })
      : undefined;
  if (controls && options.state) {
    const { load, dump, intervalMs } = options.state;
    if (load !== undefined) await loadStateFile(controls, load);
    if (dump !== undefined) {
      const state = { controls, chain: ledger.chain, path: dump, runtime, logger };
      started.push(keepStateFile(state, intervalMs));
    }
  }
  forking?.serve(ledger.chain, pool.pool);
  const threads = createExecution(ledger.evm, options.maxCalls);
  started.push(() => threads.close());
  let stopping: Promise<void> | undefined;
  const health = (): NodeHealth =>
    healthOf({
      disk: ledger.own.health.now,
      isStopping: stopping !== undefined,
      sealingFailure: sealing?.failure,
    });
  const endpoints = await openEndpoints({
    ...{ options, ledger, instruments, logger, controls, gasless, threads, hasDevelopmentKeys },
    ...{ budget, health },
    pending:
      producer &&
      author &&
      new BlockPreviews(
        {
          ...{ producer, author, settings, clock, runtime },
          ...{ chain: ledger.chain, engine: ledger.engine, pool: pool.pool },
        },
        { asked: () => devRules?.nextBlock.setting, isOpen: devRules !== undefined },
      ),
    forking,
    miner: sealing && createMiner(sealing, settings, devRules?.nextBlock),
    identity: {
      name: controls ? devClientVersion() : clientVersion(),
      networkId: options.networkId ?? ledger.chain.config.chainId,
      nodeKey,
    },
    pool: pool.pool,
    wallets: rpcWallets,
  });
  started.push(() => endpoints.close());
  // First of all: callers that wait for blocks get their answer while they are still connected.
  started.push(() => ledger.engine.stop());
  if (forking) started.push(async () => forking.stopReading());
  const metrics =
    options.metrics && (await serveMetrics(instruments.metrics, options.metrics, { budget, health }));
  if (metrics) started.push(() => metrics.close());

  const feePayer =
    options.feePayer &&
    (await openFeePayer({ options, setup, ledger, endpoints, wallets: rpcWallets, budget }));
  if (feePayer) started.push(() => feePayer.close());

  const stop = (): Promise<void> => {
    stopping ??= stopAll(started);
    return stopping;
  };
  return {
    provider: endpoints.provider,
    get endpoints() {
      return {
        ...endpoints.addresses,
        ...(feePayer && { feePayer: feePayer.url }),
        ...(metrics && { metrics: metrics.url }),
      };
    },
    chain: ledger.chain,
    wallets,
    ...(setup && { dev: setup }),
    get fork() {
      const now = forking?.fork;
      return now && { origin: now.node.name, blockNumber: now.point.number };
    },
    health,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Stops what was started, the last first, and all of it: what a full disk leaves open would hold the folder and the process.
 * @throws what the first that could not end threw
 */
async function stopAll(started: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of started.toReversed()) await stop().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function devChainOf(options: NodeOptions, fork?: RemoteChain): DevChain | undefined {
  if (!isDevChain(options)) return undefined;
  const { dev } = options;
  const { chainId } = fork?.point ?? DEV_CHAIN;
  return { ...DEV_CHAIN, chainId, ...(typeof dev === "object" ? dev : {}) };
}

function isDevChain({ dev, fork, genesis, dataDir }: NodeOptions): boolean {
  if (dev !== undefined) return dev !== false;
  return fork !== undefined || (genesis === undefined && dataDir === undefined);
}

function genesisOf({ genesis, network }: NodeOptions, setup: DevSetup | undefined): Genesis | undefined {
  if (network !== undefined) return readGenesisJson(network);
  const json = genesis ?? setup?.genesis;
  return json && initialGenesis(readGenesis(json));
}

function dumpDirOf({ dumpDir, dataDir }: NodeOptions): string | undefined {
  return dumpDir ?? (dataDir === undefined ? undefined : join(resolve(dataDir), "dumps"));
}

function journalPath({ pool, dataDir }: NodeOptions): string {
  const name = pool?.journal ?? "transactions.rlp";
  return dataDir === undefined || name === "" ? "" : join(dataDir, name);
}
