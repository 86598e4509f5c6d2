import { createSimulatedRuntime, type SimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { nextBaseFee } from "../../../protocol/block/base-fee.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { EMPTY_BYTES, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import {
  createInlineRecovery,
  type SenderRecovery,
} from "../../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Evm } from "../../evm/evm.ts";
import type { BlockTurns } from "../../execution/jobs/block-executor.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import type { StateStore } from "../../state/state.ts";
import { Blockchain } from "../blockchain.ts";
import { Branches } from "../branch/branches.ts";
import type { ExecutedBlock } from "../chain.ts";
import type { CommitFeed } from "../commit-feed.ts";
import { BlockProcessor } from "../execute/block-processor.ts";
import type { BlockHooks, ConsensusRules } from "../execute/consensus-rules.ts";
import { type Genesis, readGenesis } from "../genesis/genesis.ts";
import { BlockImporter } from "../import/importer.ts";
import { prepareDatabase } from "../tables/chain-database.ts";

export const CHAIN_ID = 2019n;

/** A minimal EVM that only executes value transfers. */
export const transferEvm: Evm = {
  run({ caller, to = ZERO_ADDRESS, value, gas }, _block, _transaction, state) {
    state.subBalance(caller, value);
    state.addBalance(to, value);
    return { outcome: "success", gasLeft: gas, output: EMPTY_BYTES, computation: 0n };
  },
};

/** Consensus that accepts every header and adds no seals. */
export interface OpenConsensus extends ConsensusRules {
  prepare(parent: Header, nowMs: number): Header;
  seal(block: Block): Block;
}

/** Creates it; timestamps rise by at least a second. */
export function openConsensus(chain: () => Blockchain): OpenConsensus {
  return {
    verifyHeader() {},
    prepare(parent, nowMs) {
      const number = parent.number + 1n;
      const now = BigInt(Math.floor(nowMs / 1000));
      const rules = chain().rulesAt(number);
      const baseFee = rules.magma ? { baseFee: nextBaseFee(parent, chain().params.at(number)) } : {};
      return {
        ...emptyHeader(),
        ...baseFee,
        parentHash: blockHash(parent),
        number,
        time: max(parent.time + 1n, now),
      };
    },
    seal: (block) => block,
    author: () => ZERO_ADDRESS,
  };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** A genesis with magma active and balances by address. */
export function genesisOf(balances: Readonly<Record<string, bigint>>): Genesis {
  const forks = ["istanbul", "london", "ethTxType", "magma"].map((fork) => [`${fork}CompatibleBlock`, 0]);
  const config = {
    chainId: Number(CHAIN_ID),
    ...Object.fromEntries(forks),
    istanbul: { epoch: 604_800 },
    governance: {},
  };
  const alloc = Object.entries(balances).map(([key, balance]) => [key, { balance: balance.toString() }]);
  return readGenesis({ config, alloc: Object.fromEntries(alloc) });
}

/** A chain with everything needed to build and import blocks. */
export interface TestLedger {
  readonly store: StateStore;
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly branches: Branches;
  readonly importer: BlockImporter;
  readonly consensus: OpenConsensus;
  readonly runtime: SimulatedRuntime;
  /** Commits a block with these transactions. */
  add(...transactions: Transaction[]): Promise<ExecutedBlock>;
}

/** Creates a chain in memory, or over a given store. */
export async function createLedger(
  genesis: Genesis,
  options: {
    readonly store?: StateStore;
    readonly hooks?: readonly BlockHooks[];
    readonly turns?: BlockTurns;
    readonly recovery?: SenderRecovery;
    readonly feed?: CommitFeed;
  } = {},
): Promise<TestLedger> {
  const runtime = createSimulatedRuntime({ startMs: 1_000_000 });
  const store = options.store ?? (await createStateStore({ engine: "memory" }));
  const stored = await prepareDatabase(store, genesis);
  const params = genesisParams(stored.config);
  const consensus = openConsensus(() => chain);
  const chain: Blockchain = new Blockchain({
    store,
    ...stored,
    params: { at: () => params },
    consensus,
    hooks: options.hooks ?? [],
    recovery: options.recovery,
    feed: options.feed,
  });
  const processor = new BlockProcessor(chain, transferEvm, { turns: options.turns });
  const recovery = createInlineRecovery(CHAIN_ID);
  const branches = new Branches({
    chain,
    createRules: () => ({ params: chain.params, hooks: [], consensus }),
    createProcessor: (parent) => new BlockProcessor(parent, transferEvm, { turns: options.turns }),
  });
  const importer = new BlockImporter({ chain, processor, branches, consensus, recovery, runtime });
  const add = async (...candidates: Transaction[]): Promise<ExecutedBlock> => {
    const header = consensus.prepare(chain.tip.header, 0);
    const draft = await processor.draft({ header, author: ZERO_ADDRESS, candidates, now: () => 0 });
    if (draft.rejected[0] !== undefined) throw draft.rejected[0].reason;
    return chain.insert(draft);
  };
  return { store, chain, processor, branches, importer, consensus, runtime, add };
}

/** The blocks as an asynchronous stream. */
export async function* streamOf(blocks: Iterable<Block>): AsyncGenerator<Block> {
  yield* blocks;
}
