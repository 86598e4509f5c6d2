import { runSync } from "../../platform/runtime/turns/pace.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Header } from "../../protocol/block/header.ts";
import { withProposerSeal } from "../../protocol/block/seal.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { ForkPoint } from "../remote/fork-point.ts";
import type { StateChanges, StateStore } from "../state/state.ts";
import { ChainError } from "./errors.ts";
import type { Genesis } from "./genesis/genesis.ts";
import { genesisHeader } from "./genesis/genesis-header.ts";
import { indexedRow } from "./logs/log-index.ts";
import { blockRows } from "./tables/block-rows.ts";
import { configRow, readStoredChain, type StoredChain } from "./tables/chain-database.ts";

/** The remote block from which a forked chain continues. */
export interface ForkBase {
  readonly point: ForkPoint;
  /** Initial changes to the remote state, such as funded accounts. */
  changes(): Promise<StateChanges>;
  /** Seals a header with the validator's key, so that the first block has an author. */
  seal(header: Header): Uint8Array;
}

/**
 * Prepares a database for a chain that continues a remote one. In an empty database the fork point becomes the first
 * block, with its hash on the remote chain; otherwise checks that the stored fork point is the same.
 * @param genesis - configuration and validators for the blocks that follow
 * @throws ChainError `GENESIS_MISMATCH`
 */
export async function prepareFork(store: StateStore, genesis: Genesis, base: ForkBase): Promise<StoredChain> {
  if (store.head === undefined) return writeBase(store, genesis, base);
  const stored = readForkPoint(store);
  const { number, hash } = base.point;
  if (stored === undefined || stored.number !== number || !equalBytes(stored.hash, hash)) {
    const has = stored === undefined ? "a chain of its own" : `a fork of block ${stored.number}`;
    const text = `the database holds ${has} and not a fork of block ${number} ${bytesToHex(hash)}`;
    throw new ChainError("GENESIS_MISMATCH", text, { number });
  }
  return readStoredChain(store);
}

const META = "meta";
const FORK_KEY = new TextEncoder().encode("fork");

/** The fork point stored in a database; undefined for a chain with its own genesis. */
export function readForkPoint(store: StateStore): Pick<ForkPoint, "number" | "hash"> | undefined {
  const row = store.get(META, FORK_KEY);
  if (row === undefined) return undefined;
  const number = new DataView(row.buffer, row.byteOffset).getBigUint64(0);
  return { number, hash: row.slice(8, 40) };
}

async function writeBase(store: StateStore, genesis: Genesis, base: ForkBase): Promise<StoredChain> {
  const { number, hash, time, baseFee } = base.point;
  const staged = store.stage(await base.changes());
  const first = genesisHeader(genesis, staged.root);
  const anchored = { ...genesis, number, timestamp: time, ...(baseFee > 0n && { baseFee }) };
  const unsealed = genesisHeader(anchored, staged.root);
  const header = withProposerSeal(unsealed, base.seal(unsealed));
  const rows = [first, header].flatMap((each) => {
    const own = each === header ? hash : blockHash(each);
    const block = { header: each, transactions: [] };
    return runSync(blockRows({ block, hash: own, receipts: [] }));
  });
  const point = new Uint8Array(40);
  new DataView(point.buffer).setBigUint64(0, number);
  point.set(hash, 8);
  rows.push(indexedRow(Number(number)), configRow(genesis.config), {
    table: META,
    key: FORK_KEY,
    value: point,
  });
  await staged.commit({ number, hash }, rows).durable;
  return { config: genesis.config, genesisHash: blockHash(first) };
}
