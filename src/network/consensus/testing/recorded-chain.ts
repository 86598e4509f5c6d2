import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { Branches } from "../../../ledger/chain/branch/branches.ts";
import type { RuleSources } from "../../../ledger/chain/branch/chain-branch.ts";
import { BlockProcessor } from "../../../ledger/chain/execute/block-processor.ts";
import type { Ancestry } from "../../../ledger/chain/execute/consensus-rules.ts";
import { parseGenesis } from "../../../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../../ledger/chain/genesis/genesis-init.ts";
import { BlockTable } from "../../../ledger/chain/tables/block-table.ts";
import { prepareDatabase } from "../../../ledger/chain/tables/chain-database.ts";
import { createEvm } from "../../../ledger/evm/engine/create-evm.ts";
import type { Evm } from "../../../ledger/evm/evm.ts";
import { precompiles } from "../../../ledger/evm/precompiles/index.ts";
import type { Extensions } from "../../../ledger/extensions/extensions.ts";
import { createStateStore } from "../../../ledger/state/create-state-store.ts";
import type { StateStore } from "../../../ledger/state/state.ts";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { readBlock } from "../../../protocol/block/block-codec.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { blsSecretKey, loadBls } from "../../../protocol/crypto/bls.ts";
import type { Bls } from "../../../protocol/crypto/bls-interface.ts";
import { createChainRules } from "../istanbul/chain-rules.ts";
import type { IstanbulRules } from "../istanbul/istanbul-rules.ts";

const fixtures = new URL("../../../../test/fixtures/chains/", import.meta.url);

/** A file of a recorded chain; `.gz` is decompressed. */
export function readFixture(path: string): Buffer {
  const bytes = readFileSync(new URL(path, fixtures));
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
export function readJson(path: string): any {
  return JSON.parse(readFixture(path).toString());
}

/** The blocks of a recorded chain from 1 on. */
export function* recordedBlocks(name: string): Generator<Block> {
  const bytes = new Uint8Array(readFixture(`${name}/chain.rlp.gz`));
  for (let at = 0; at < bytes.length; ) {
    const { block, end } = readBlock(bytes, at);
    yield block;
    at = end;
  }
}

/** A chain in memory with all extensions, which verifies blocks completely. */
export interface RecordedChain {
  readonly chain: Blockchain;
  readonly store: StateStore;
  readonly processor: BlockProcessor;
  readonly branches: Branches;
  readonly extensions: Extensions;
  readonly rules: IstanbulRules;
  /** Verifies, executes and commits the block after the tip. */
  insert(block: Block): Promise<void>;
  /** The same without the rules on headers. */
  execute(block: Block): Promise<void>;
}

/** A time after all recorded blocks. */
const NOW = 4e12;

/**
 * Opens a recorded chain at its genesis, or at the head of a given store.
 * @param own.nodeKey - of a validator that proposes
 * @param own.store - in place of a new one in memory; `own.bls` and `own.evm` in place of new ones
 */
export async function openRecorded(
  genesisText: string,
  own: {
    readonly clock?: Clock;
    readonly nodeKey?: Uint8Array;
    readonly store?: StateStore;
    readonly bls?: Bls;
    readonly evm?: Evm;
  } = {},
): Promise<RecordedChain> {
  const bls = own.bls ?? (await loadBls());
  const store = own.store ?? (await createStateStore({ engine: "memory", history: "archive" }));
  const { config, genesisHash } = await prepareDatabase(store, initialGenesis(parseGenesis(genesisText)));
  const table = new BlockTable(store);
  const ancestry: Ancestry = {
    header: (number) => table.header(number),
    stateAt: (number) => store.at(number),
  };
  const evm = own.evm ?? createEvm({ precompiles, now: () => 0 });
  const genesis = table.header(0n) as Header;
  const parts = { config, genesis, evm, bls, clock: own.clock ?? { now: () => NOW, elapsed: () => NOW } };
  const blsKey = own.nodeKey && blsSecretKey(own.nodeKey);
  const rulesOver = (sources: RuleSources) => createChainRules({ ...parts, ...sources, blsKey });
  const { extensions, params, hooks, consensus: rules } = rulesOver({ store, ancestry });
  const chain = new Blockchain({ store, config, genesisHash, params, consensus: rules, hooks });
  const processor = new BlockProcessor(chain, evm);
  const branches = new Branches({
    chain,
    createRules: rulesOver,
    createProcessor: (parent) => new BlockProcessor(parent, evm),
  });
  const execute = async (block: Block): Promise<void> => {
    await chain.insert(await processor.verify(block));
  };
  const insert = async (block: Block): Promise<void> => {
    rules.verifyHeader(block.header, chain.tip.header);
    await execute(block);
  };
  return { chain, store, processor, branches, extensions, rules, insert, execute };
}
