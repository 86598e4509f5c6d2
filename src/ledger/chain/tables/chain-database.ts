import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { type ConfigJson, parseExactJson } from "../../../protocol/params/config-json.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { bigintToBytes, bytesToBigint, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Row, StateChanges, StateStore } from "../../state/state.ts";
import { ChainError } from "../errors.ts";
import type { Genesis } from "../genesis/genesis.ts";
import { genesisHeader } from "../genesis/genesis-header.ts";
import { checkStoredGenesis } from "../genesis/genesis-init.ts";
import { stateRootOf } from "../genesis/genesis-root.ts";
import { genesisChanges } from "../genesis/genesis-state.ts";
import { indexedRow } from "../logs/log-index.ts";
import { blockRows } from "./block-rows.ts";
import { BlockTable } from "./block-table.ts";

/** Table of the chain's metadata. */
const META = "meta";
const CONFIG_KEY = new TextEncoder().encode("config");
/** Total balance allocated by the genesis, kei, without leading zeros. */
const ALLOTTED_KEY = new TextEncoder().encode("allotted");

/** Metadata of the chain in a database. */
export interface StoredChain {
  readonly config: ChainConfig;
  readonly genesisHash: Hash;
}

/**
 * Prepares a database for a chain: writes the genesis into an empty one, otherwise checks that it holds the same genesis.
 * Fork blocks above the head may change; the new configuration is then stored.
 * @param genesis - in the form of `initialGenesis`; optional if the database has a chain
 * @throws ChainError `GENESIS_MISSING`, `GENESIS_MISMATCH`, `CONFIG_MISMATCH`
 */
export async function prepareDatabase(store: StateStore, genesis?: Genesis): Promise<StoredChain> {
  const { head } = store;
  if (head === undefined) {
    if (genesis === undefined)
      throw new ChainError("GENESIS_MISSING", "the database is empty and no genesis was given");
    return writeGenesis(store, genesis);
  }
  const stored = readStoredChain(store);
  if (genesis === undefined) return stored;
  const wanted = {
    hash: blockHash(genesisHeader(genesis, stateRootOf(genesisChanges(genesis)))),
    config: genesis.config,
  };
  checkStoredGenesis({ hash: stored.genesisHash, config: stored.config, head: head.number }, wanted);
  await store.write([configRow(genesis.config)]);
  return { config: genesis.config, genesisHash: stored.genesisHash };
}

/** The chain in a database that has one. @throws ChainError `GENESIS_MISSING` */
export function readStoredChain(store: StateStore): StoredChain {
  const hash = new BlockTable(store).hash(0n);
  const config = store.get(META, CONFIG_KEY);
  if (hash === undefined || config === undefined) {
    throw new ChainError("GENESIS_MISSING", "the database holds no genesis");
  }
  const json = parseExactJson(new TextDecoder().decode(config)) as ConfigJson;
  return { config: parseChainConfig(json), genesisHash: hash };
}

async function writeGenesis(store: StateStore, genesis: Genesis): Promise<StoredChain> {
  const changes = genesisChanges(genesis);
  const staged = store.stage(changes);
  const header = genesisHeader(genesis, staged.root);
  const hash = blockHash(header);
  const executed = { block: { header, transactions: [] }, hash, receipts: [] };
  const rows = runSync(blockRows(executed));
  await staged.commit({ number: 0n, hash }, [
    ...rows,
    indexedRow(0),
    configRow(genesis.config),
    allottedRow(changes),
  ]).durable;
  return { config: genesis.config, genesisHash: hash };
}

function allottedRow({ accounts }: StateChanges): Row {
  const allotted = accounts.reduce((sum, { account }) => sum + (account?.balance ?? 0n), 0n);
  return { table: META, key: ALLOTTED_KEY, value: bigintToBytes(allotted) };
}

/**
 * Total balance allocated by the genesis, kei; undefined if an older version wrote the genesis and its state is not kept.
 */
export function genesisSupply(store: Pick<StateStore, "get" | "at">): bigint | undefined {
  const stored = store.get(META, ALLOTTED_KEY);
  if (stored !== undefined) return bytesToBigint(stored);
  const first = store.at(0n);
  if (first === undefined) return undefined;
  let allotted = 0n;
  for (const { account } of first.accounts()) allotted += account.balance;
  return allotted;
}

/** The row with the configuration of a chain. */
export function configRow(config: ChainConfig): Row {
  const exact = (_key: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
  return {
    table: META,
    key: CONFIG_KEY,
    value: new TextEncoder().encode(JSON.stringify(config.json, exact)),
  };
}
