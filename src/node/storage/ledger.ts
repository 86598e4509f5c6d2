import { existsSync } from "node:fs";
import { Blockchain } from "../../ledger/chain/blockchain.ts";
import { Branches } from "../../ledger/chain/branch/branches.ts";
import type { RuleSources } from "../../ledger/chain/branch/chain-branch.ts";
import type { ChainOverrides } from "../../ledger/chain/chain-parts.ts";
import type { CommitFeed } from "../../ledger/chain/commit-feed.ts";
import { ChainError } from "../../ledger/chain/errors.ts";
import { BlockProcessor, type BlockTimers } from "../../ledger/chain/execute/block-processor.ts";
import type { Ancestry, BlockHooks } from "../../ledger/chain/execute/consensus-rules.ts";
import type { ParentChain } from "../../ledger/chain/execute/parent-chain.ts";
import { type ForkBase, prepareFork, readForkPoint } from "../../ledger/chain/fork-base.ts";
import type { Genesis } from "../../ledger/chain/genesis/genesis.ts";
import { BlockImporter } from "../../ledger/chain/import/importer.ts";
import { buildLogIndex, type IndexProgress } from "../../ledger/chain/logs/build-log-index.ts";
import { BlockTable } from "../../ledger/chain/tables/block-table.ts";
import { prepareDatabase, type StoredChain } from "../../ledger/chain/tables/chain-database.ts";
import type { CodeCompiler } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { createEvm } from "../../ledger/evm/engine/create-evm.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import { precompiles } from "../../ledger/evm/precompiles/index.ts";
import type { BlockTurns } from "../../ledger/execution/jobs/block-executor.ts";
import type { Extensions } from "../../ledger/extensions/extensions.ts";
import type { ValidatorSets } from "../../ledger/extensions/valset/validator-sets.ts";
import { type ForkedState, ForkedStateStore } from "../../ledger/remote/forked-state-store.ts";
import type { RemoteState } from "../../ledger/remote/remote-state.ts";
import { createStateStore } from "../../ledger/state/create-state-store.ts";
import type { StateStore } from "../../ledger/state/state.ts";
import type { ConsensusEngine } from "../../network/consensus/engine.ts";
import { FollowingEngine } from "../../network/consensus/following-engine.ts";
import { createChainRules } from "../../network/consensus/istanbul/chain-rules.ts";
import type { IstanbulRules } from "../../network/consensus/istanbul/istanbul-rules.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Header } from "../../protocol/block/header.ts";
import { loadBls } from "../../protocol/crypto/bls.ts";
import type { ChainConfig } from "../../protocol/params/config.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { rememberSigners } from "../../protocol/transaction/signatures/remembered-signers.ts";

/** Options of a ledger. */
export interface LedgerOptions {
  /** Folder of the database; absent = in memory. */
  readonly directory?: string;
  /** Opens the folder read-only, even on a read-only file system; no other process may write to it meanwhile. */
  readonly isReadOnly?: boolean;
  /** Written into an empty database, otherwise compared with the stored one; absent = use the stored one. */
  readonly genesis?: Genesis;
  /** Absent = as stored in the data folder; full for a new one. */
  readonly history?: "full" | "archive" | undefined;
  /** BLS key of a validator, 32 bytes; absent on a node that only follows. */
  readonly blsKey?: Uint8Array;
  /** Creates the consensus engine on top of the header rules; absent = one that only follows. */
  readonly engine?: ((parts: EngineParts) => ConsensusEngine) | undefined;
  readonly recovery: (chainId: bigint) => SenderRecovery;
  readonly runtime: Runtime;
  /** Compiles hot code; absent = everything is interpreted. */
  readonly compiler?: CodeCompiler | undefined;
  readonly blockTimers?: BlockTimers;
  /** Scheduling of block execution on the main thread; absent = without yielding. */
  readonly blockTurns?: BlockTurns | undefined;
  /** Called with the progress of the index that is built for a chain written by an older version. */
  readonly onIndexing?: IndexProgress;
  /** Also receives every committed block. */
  readonly feed?: CommitFeed | undefined;
  /** Whether blocks may be ahead of the local clock, since their validators have checked that. */
  readonly takesFutureBlocks?: boolean;
  /** Blocks before the head whose states and changes are kept individually; absent = the state store's default. */
  readonly recentBlocks?: number;
  /** Present on a development chain. */
  readonly overrides?: LedgerOverrides | undefined;
  /** Present on a forked chain. */
  readonly fork?: LedgerFork | undefined;
}

/** Dependencies of an engine. */
export interface EngineParts {
  readonly rules: IstanbulRules;
  readonly validators: ValidatorSets;
  /** Number of the newest block; callable once the chain exists. */
  tipNumber(): bigint;
}

/** Departures of a development chain from the protocol, as wrappers around its parts. */
export interface LedgerOverrides {
  /** Run after the protocol's hooks. */
  readonly hooks: readonly BlockHooks[];
  recovery(recovery: SenderRecovery, chainId: bigint): SenderRecovery;
  chain(chainId: bigint): ChainOverrides;
  /** The configuration that the chain follows. @param stored - the one in the database */
  config(stored: ChainConfig): ChainConfig;
}

/** The fork point that a chain continues from. */
export interface LedgerFork {
  readonly base: ForkBase;
  readonly state: RemoteState;
}

/** A chain with everything that reads, builds and imports blocks. */
export interface Ledger {
  readonly store: StateStore;
  /** The same; on a forked chain, only the local changes. */
  readonly own: StateStore;
  /**
   * Restarts the chain, on another fork point or on none. Must be called inside `Blockchain.exclusive`, after all blocks are
   * published. Undefined for a chain in a data folder, and outside development chains.
   */
  readonly restart: ((fork: LedgerFork | undefined) => Promise<void>) | undefined;
  readonly evm: Evm;
  readonly chain: Blockchain;
  readonly extensions: Extensions;
  readonly engine: ConsensusEngine;
  readonly processor: BlockProcessor;
  readonly branches: Branches;
  readonly importer: BlockImporter;
  readonly recovery: SenderRecovery;
}

/**
 * Opens the chain of a database.
 * @throws DatabaseError, ChainError, ParamsError
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { directory, genesis } = options;
  if (directory !== undefined && genesis === undefined && !existsSync(directory)) {
    throw new ChainError("GENESIS_MISSING", `there is no chain in ${directory}`, { directory });
  }
  const open = () => openStore(options);
  const store = await open();
  try {
    return await connect(store, options, open);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function openStore(options: LedgerOptions): Promise<StateStore> {
  const { runtime, directory, isReadOnly } = options;
  return createStateStore({
    isReadOnly,
    ...(options.history && {
      history: options.history === "archive" ? ("archive" as const) : ("recent" as const),
    }),
    ...(options.recentBlocks !== undefined && { recentBlocks: options.recentBlocks }),
    // A development chain can be rewound to any block.
    ...(options.overrides && options.history === "archive" && { recentBlocks: Number.MAX_SAFE_INTEGER }),
    ...(directory === undefined
      ? { engine: "memory" as const }
      : { engine: "lmdb" as const, directory, files: runtime.files, timers: runtime.timers }),
  });
}

async function connect(
  own: StateStore,
  options: LedgerOptions,
  open: () => Promise<StateStore>,
): Promise<Ledger> {
  const { runtime, blsKey, overrides, fork, engine: engineOver = followerOver } = options;
  const stored = await prepare(own, options);
  await buildLogIndex(own, options.onIndexing);
  const config = overrides?.config(stored.config) ?? stored.config;
  const forked = overrides && new ForkedStateStore(own, fork && forkedState(fork));
  const store = forked ?? own;
  const { compiler } = options;
  const evm = createEvm({ precompiles, compiler, now: () => runtime.clock.elapsed() });
  const bls = config.forks.randao === undefined ? undefined : await loadBls();
  // The system contracts of a forked chain must not determine the validators of this one.
  const ruleStateAt = (number: bigint) => (forked?.own ?? own).at(number);
  const genesis = new BlockTable(store).header(0n) as Header;
  const clock = options.takesFutureBlocks
    ? { ...runtime.clock, now: () => Number.MAX_SAFE_INTEGER }
    : runtime.clock;
  const rulesOver = (sources: RuleSources, furtherHooks?: readonly BlockHooks[]) =>
    createChainRules({ ...{ config, genesis, evm, bls, blsKey, clock, furtherHooks }, ...sources });
  const ancestry: Ancestry = {
    header: (number) => chain.ancestry.header(number),
    stateAt: ruleStateAt,
  };
  const { extensions, params, hooks, consensus: rules } = rulesOver({ store, ancestry }, overrides?.hooks);
  const { validators } = extensions;
  const engine = engineOver({ rules, validators, tipNumber: () => chain.tip.header.number });
  const recoveryOver = (plain: SenderRecovery): SenderRecovery =>
    overrides?.recovery(plain, config.chainId) ?? plain;
  const plainRecovery = options.recovery(config.chainId);
  const recovery = recoveryOver(rememberSigners(plainRecovery, config.chainId));
  const chain: Blockchain = new Blockchain({
    ...{ store, ...stored, config, params, hooks, recovery },
    consensus: engine,
    overrides: overrides?.chain(config.chainId),
    feed: options.feed,
  });
  const createProcessor = (parent: ParentChain) =>
    new BlockProcessor(parent, evm, { timers: options.blockTimers, turns: options.blockTurns });
  const processor = createProcessor(chain);
  const branches = new Branches({
    ...{ chain, createProcessor },
    createRules: (sources) => rulesOver(sources),
    ruleStateAt: forked && ruleStateAt,
  });
  const importer = new BlockImporter({
    ...{ chain, processor, branches, consensus: engine, recovery, runtime },
    bulkRecovery: recoveryOver(plainRecovery),
  });
  // Continues where a follower stopped; requests meanwhile recover the senders they need.
  if (!options.isReadOnly) chain.attributed(chain.head.header.number).catch(() => {});
  const restart = async (next: LedgerFork | undefined): Promise<void> => {
    const fresh = await open();
    await prepare(fresh, { ...options, fork: next });
    const before = forked?.replace(fresh, next && forkedState(next));
    chain.restart();
    await before?.close();
  };
  return {
    ...{ store, evm, chain, extensions, engine, processor, branches, importer, recovery },
    get own() {
      return forked?.own ?? own;
    },
    restart: forked && options.directory === undefined ? restart : undefined,
  };
}

function followerOver({ rules }: EngineParts): ConsensusEngine {
  return new FollowingEngine(rules);
}

function forkedState({ base, state }: LedgerFork): ForkedState {
  return { point: base.point, state };
}

/**
 * @throws ChainError `GENESIS_MISMATCH` if the database holds a forked chain and none is wanted, or vice versa
 */
async function prepare(store: StateStore, { genesis, fork }: LedgerOptions): Promise<StoredChain> {
  if (fork && genesis) return prepareFork(store, genesis, fork.base);
  const stored = readForkPoint(store);
  if (stored === undefined) return prepareDatabase(store, genesis);
  const text = `the database holds a fork of block ${stored.number} of another chain; give the URL of its node`;
  throw new ChainError("GENESIS_MISMATCH", text, { number: stored.number });
}
