import type { Header } from "../../../protocol/block/header.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { concat, type Hash } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { readSidecar, sidecarItems } from "../../../protocol/transaction/blob.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import { numberKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";
import type { BlockHooks } from "../execute/consensus-rules.ts";

/** Block number ‖ index of the transaction (4 bytes) → RLP of the sidecar in network form. */
const TABLE = "sidecar";
/** Three weeks, at a block a second. @see reference node v2.2.1 */
const KEPT_BLOCKS = 1_814_400n;
/** Interval, in blocks, at which old sidecars are dropped. */
const PRUNE_INTERVAL = 1024n;

/** Largest transaction index that fits into a key. */
const MAX_INDEX = 2 ** 32 - 1;

/** Finds the verified sidecar of a transaction by its hash. */
export type SidecarSource = (hash: Hash) => BlobSidecar | undefined;

/**
 * Blob sidecars of the newest blocks. Blocks from peers come without them, so sidecars are from blocks that this node has
 * built or voted for, from its pool, or fetched afterwards.
 */
export class SidecarTable implements BlockHooks {
  readonly #store: Pick<StateStore, "get" | "range" | "write">;
  #waiting: SidecarSource = () => undefined;

  constructor(store: Pick<StateStore, "get" | "range" | "write">) {
    this.#store = store;
  }

  /** Sets the source for sidecars of blocks that come without; not a constructor parameter, as the pool is created later. */
  takeFrom(source: SidecarSource): void {
    this.#waiting = source;
  }

  /** The sidecar of a transaction by position; undefined if never stored, or dropped after three weeks. */
  get(number: bigint, index: number): BlobSidecar | undefined {
    if (number > MAX_UINT64 || index > MAX_INDEX) return undefined;
    const row = this.#store.get(TABLE, keyOf(number, index));
    if (row === undefined) return undefined;
    const reader = new RlpReader(row.slice());
    reader.enterList("sidecar");
    const sidecar = readSidecar(reader);
    reader.leaveList();
    return sidecar;
  }

  /** Stores the sidecar of a transaction in the chain. Resolves when it is on disk. */
  keep(number: bigint, index: number, sidecar: BlobSidecar): Promise<void> {
    return this.#store.write([rowOf(number, index, sidecar)]);
  }

  inserted({ block, sidecars }: ExecutedBlock): Row[] {
    const { number } = block.header;
    const rows: Row[] = [];
    for (const [index, transaction] of block.transactions.entries()) {
      if (transaction.blobVersionedHashes === undefined) continue;
      const sidecar = sidecars?.get(index) ?? this.#waiting(transactionHash(transaction));
      if (sidecar !== undefined) rows.push(rowOf(number, index, sidecar));
    }
    return number % PRUNE_INTERVAL === 0n && number > KEPT_BLOCKS
      ? [...rows, ...this.#deletions(0n, number - KEPT_BLOCKS)]
      : rows;
  }

  rewind(to: Header): Row[] {
    return this.#deletions(to.number + 1n, MAX_UINT64);
  }

  #deletions(from: bigint, end: bigint): Row[] {
    const rows = this.#store.range(TABLE, numberKey(from), numberKey(end));
    return Array.from(rows, ([key]) => ({ table: TABLE, key: key.slice(), value: null }));
  }
}

function rowOf(number: bigint, index: number, sidecar: BlobSidecar): Row {
  return { table: TABLE, key: keyOf(number, index), value: encodeItem(sidecarItems(sidecar)) };
}

function keyOf(number: bigint, index: number): Uint8Array {
  const suffix = new Uint8Array(4);
  new DataView(suffix.buffer).setUint32(0, index);
  return concat(numberKey(number), suffix);
}
