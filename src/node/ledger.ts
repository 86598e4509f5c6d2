import { existsSync } from "node:fs";
import { BlockProcessor, type BlockTimers } from "../ledger/chain/block-processor.ts";
import { BlockTable } from "../ledger/chain/block-table.ts";
import { Blockchain } from "../ledger/chain/blockchain.ts";
import { prepareDatabase, readStoredChain, type StoredChain } from "../ledger/chain/chain-database.ts";
import type { ChainOverrides } from "../ledger/chain/chain-parts.ts";
import type { Ancestry, ConsensusRules } from "../ledger/chain/consensus-rules.ts";
import { ChainError } from "../ledger/chain/errors.ts";
import { type ForkBase, prepareFork, readForkPoint } from "../ledger/chain/fork-base.ts";
import type { Genesis } from "../ledger/chain/genesis.ts";
import { BlockImporter } from "../ledger/chain/importer.ts";
import { buildLogIndex, type IndexProgress } from "../ledger/chain/logs/build-log-index.ts";
import type { Evm } from "../ledger/evm/evm.ts";
import { createEvm } from "../ledger/evm/interpreter/create-evm.ts";
import { precompiles } from "../ledger/evm/precompiles/index.ts";
import { createExtensions, type Extensions } from "../ledger/extensions/extensions.ts";
import { type ForkedState, ForkedStateStore } from "../ledger/fork/forked-state-store.ts";
import type { RemoteState } from "../ledger/fork/remote-state.ts";
import { createStateStore } from "../ledger/state/create-state-store.ts";
import type { StateStore } from "../ledger/state/state.ts";
import { IstanbulRules } from "../network/consensus/istanbul/istanbul-rules.ts";
import type { ProposerSettings } from "../network/consensus/solo/proposer-settings.ts";
import { createFollower, createSolo } from "../network/consensus/solo/solo.ts";
import type { Runtime } from "../platform/runtime/runtime.ts";
import type { Header } from "../protocol/block/header.ts";
import { blsSecretKey, loadBls } from "../protocol/crypto/bls.ts";
import type { SenderRecovery } from "../protocol/transaction/recovery.ts";

export interface LedgerOptions {
  /** Folder of the database; absent = in memory. */
  readonly directory?: string;
  /** Written into an empty database, compared with what is in another; absent = what is there. */
  readonly genesis?: Genesis;
  /** Absent = as the data folder has it, full in a new one. */
  readonly history?: "full" | "archive" | undefined;
  /** Key of the validator that seals; absent on a node that only follows. */
  readonly nodeKey?: Uint8Array;
  /** Read anew for each block that is made. */
  readonly proposer?: Readonly<ProposerSettings>;
  readonly recovery: (chainId: bigint) => SenderRecovery;
  readonly runtime: Runtime;
  readonly blockTimers?: BlockTimers;
  /** Told of the index that is built when an older version wrote the chain. */
  readonly onIndexing?: IndexProgress;
  /** Present on a development chain. */
  readonly overrides?: LedgerOverrides | undefined;
  /** Present on a chain that goes on from a block of another. */
  readonly fork?: LedgerFork | undefined;
}

/** Where a development chain departs from the protocol; what is given is wrapped. */
export interface LedgerOverrides {
  consensus(rules: ConsensusRules): ConsensusRules;
  recovery(recovery: SenderRecovery, chainId: bigint): SenderRecovery;
  chain(chainId: bigint): ChainOverrides;
}

/** What a chain goes on from. */
export interface LedgerFork {
  readonly base: ForkBase;
  readonly state: RemoteState;
}

/** A chain with everything that reads, makes and takes blocks. */
export interface Ledger {
  readonly store: StateStore;
  /** The same, but on a fork: what this node has changed of the state. */
  readonly own: StateStore;
  /**
   * Begins the chain anew, on another fork or none. For use within `Blockchain.exclusive`, once all blocks are published.
   * Undefined where a data folder keeps the chain, and where there is no development chain.
   */
  readonly restart: ((fork: LedgerFork | undefined) => Promise<void>) | undefined;
  readonly evm: Evm;
  readonly chain: Blockchain;
  readonly extensions: Extensions;
  readonly consensus: ConsensusRules;
  readonly processor: BlockProcessor;
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
  const { runtime, directory } = options;
  return createStateStore({
    ...(options.history && {
      history: options.history === "archive" ? ("archive" as const) : ("recent" as const),
    }),
    // A development chain can go back to any block.
    ...(options.overrides && options.history === "archive" && { recentBlocks: Number.MAX_SAFE_INTEGER }),
    ...(directory === undefined
      ? { engine: "memory" as const }
      : { engine: "lmdb" as const, directory, files: runtime.files }),
  });
}

async function connect(
  own: StateStore,
  options: LedgerOptions,
  open: () => Promise<StateStore>,
): Promise<Ledger> {
  const { runtime, nodeKey, proposer = {}, fork } = options;
  const stored = await prepare(own, options);
  await buildLogIndex(own, options.onIndexing);
  const { config } = stored;
  const forked = options.overrides && new ForkedStateStore(own, fork && forkedState(fork));
  const store = forked ?? own;
  const evm = createEvm({ precompiles: precompiles, now: () => runtime.clock.now() });
  const bls = config.forks.randao === undefined ? undefined : await loadBls();
  const ancestry: Ancestry = {
    header: (number) => chain.ancestry.header(number),
    // The system contracts of a forked chain say nothing about who seals this one.
    stateAt: (number) => (forked?.own ?? own).at(number),
  };
  const genesis = new BlockTable(store).header(0n) as Header;
  const extensions = createExtensions({ config, genesis, store, evm, ancestry, bls });
  const { params, validators, hooks, blsKeys } = extensions;
  const secretKey = nodeKey && { secretKey: blsSecretKey(nodeKey) };
  const rules = new IstanbulRules({
    config,
    params,
    validators,
    hooks,
    stakingAt: (number) => extensions.staking.at(number),
    clock: runtime.clock,
    randao: bls && blsKeys && { bls, keys: blsKeys, ...secretKey },
  });
  const protocol =
    nodeKey === undefined
      ? createFollower(rules)
      : createSolo({ rules, validators, nodeKey, settings: proposer });
  const consensus = options.overrides?.consensus(protocol) ?? protocol;
  const overrides = options.overrides?.chain(config.chainId);
  const chain: Blockchain = new Blockchain({ store, ...stored, params, consensus, hooks, overrides });
  const processor = new BlockProcessor(chain, evm, options.blockTimers);
  const plainRecovery = options.recovery(config.chainId);
  const recovery = options.overrides?.recovery(plainRecovery, config.chainId) ?? plainRecovery;
  const importer = new BlockImporter({ chain, processor, consensus, recovery, runtime });
  const restart = async (next: LedgerFork | undefined): Promise<void> => {
    const fresh = await open();
    await prepare(fresh, { ...options, fork: next });
    const before = forked?.replace(fresh, next && forkedState(next));
    chain.restart();
    await before?.close();
  };
  return {
    ...{ store, evm, chain, extensions, consensus, processor, importer, recovery },
    get own() {
      return forked?.own ?? own;
    },
    restart: forked && options.directory === undefined ? restart : undefined,
  };
}

function forkedState({ base, state }: LedgerFork): ForkedState {
  return { point: base.point, state };
}

/**
 * @throws ChainError `GENESIS_MISMATCH` when the database holds a fork and none is wanted, or the other way round, or a
 * development chain of another chain id
 */
async function prepare(store: StateStore, { genesis, fork, overrides }: LedgerOptions): Promise<StoredChain> {
  if (fork && genesis) return prepareFork(store, genesis, fork.base);
  const stored = readForkPoint(store);
  if (stored === undefined) {
    if (overrides && genesis && store.head) checkChainId(readStoredChain(store), genesis);
    return prepareDatabase(store, genesis);
  }
  const text = `the database holds a fork of block ${stored.number} of another chain; give the URL of its node`;
  throw new ChainError("GENESIS_MISMATCH", text, { number: stored.number });
}

/** The genesis hash does not tell: a chain would go on under another id, and the senders of its blocks be lost. */
function checkChainId({ config }: StoredChain, genesis: Genesis): void {
  const { chainId } = genesis.config;
  if (config.chainId === chainId) return;
  const text = `the database holds a chain with chain id ${config.chainId}, not ${chainId}`;
  throw new ChainError("GENESIS_MISMATCH", text);
}
