import { BlockImporter } from "../../../src/ledger/chain/importer.ts";
import { BlockProcessor } from "../../../src/ledger/chain/block-processor.ts";
import { Blockchain } from "../../../src/ledger/chain/blockchain.ts";
import { prepareDatabase } from "../../../src/ledger/chain/chain-database.ts";
import { BlockTable } from "../../../src/ledger/chain/block-table.ts";
import type { Ancestry } from "../../../src/ledger/chain/consensus-rules.ts";
import type { Genesis } from "../../../src/ledger/chain/genesis.ts";
import { initialGenesis } from "../../../src/ledger/chain/genesis-init.ts";
import { createEvm } from "../../../src/ledger/evm/interpreter/create-evm.ts";
import { precompiles, preloadCurves } from "../../../src/ledger/evm/precompiles/index.ts";
import { createExtensions, type Extensions } from "../../../src/ledger/extensions/extensions.ts";
import { createStateStore } from "../../../src/ledger/state/create-state-store.ts";
import type { StateStore } from "../../../src/ledger/state/state.ts";
import { IstanbulRules } from "../../../src/network/consensus/istanbul/istanbul-rules.ts";
import { createFollower } from "../../../src/network/consensus/solo/solo.ts";
import { systemRuntime } from "../../../src/platform/runtime/system.ts";
import type { Header } from "../../../src/protocol/block/header.ts";
import { loadBls } from "../../../src/protocol/crypto/bls.ts";
import { createInlineRecovery } from "../../../src/protocol/transaction/recovery.ts";

/** A chain with all extensions that follows blocks of others. */
export interface Follower {
  readonly store: StateStore;
  readonly chain: Blockchain;
  readonly processor: BlockProcessor;
  readonly importer: BlockImporter;
  readonly extensions: Extensions;
}

/** Opens a chain in memory, with the state after every block kept, under the rules of the reference network. */
export async function openFollower(given: Genesis): Promise<Follower> {
  const genesis = initialGenesis(given);
  const store = await createStateStore({ engine: "memory", history: "archive" });
  const stored = await prepareDatabase(store, genesis);
  const { config } = stored;
  const { clock } = systemRuntime;
  const bls = await loadBls();
  await preloadCurves();
  const evm = createEvm({ precompiles, now: () => clock.now() });
  const ancestry: Ancestry = {
    header: (number) => chain.ancestry.header(number),
    stateAt: (number) => chain.ancestry.stateAt(number),
  };
  const genesisHeader = new BlockTable(store).header(0n) as Header;
  const extensions = createExtensions({ config, genesis: genesisHeader, store, evm, ancestry, bls });
  const { params, validators, staking, hooks, blsKeys } = extensions;
  const rules = new IstanbulRules({
    config,
    params,
    validators,
    stakingAt: (number) => staking.at(number),
    randao: blsKeys && { bls, keys: blsKeys },
    hooks,
    clock,
  });
  const consensus = createFollower(rules);
  const chain: Blockchain = new Blockchain({ store, ...stored, params, consensus, hooks });
  const processor = new BlockProcessor(chain, evm);
  const recovery = createInlineRecovery(config.chainId);
  const importer = new BlockImporter({ chain, processor, consensus, recovery, runtime: systemRuntime });
  return { store, chain, processor, importer, extensions };
}
