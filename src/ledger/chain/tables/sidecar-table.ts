import type { Header } from "../../../protocol/block/header.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { readSidecar, sidecarItems } from "../../../protocol/transaction/blob.ts";
import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";
import type { BlockHooks } from "../execute/consensus-rules.ts";
import { numberKey } from "./keys.ts";

/** Block number ‖ index of the transaction (4 bytes) → RLP of the sidecar in network form. */
const TABLE = "sidecar";
/** Three weeks, at a block a second. @see reference node v2.2.1 */
const KEPT_BLOCKS = 1_814_400n;
/** Blocks whose old sidecars are dropped at a time. */
const PRUNE_INTERVAL = 1024n;

/** Blob sidecars of the blocks that this node has made; blocks of others come without them. */
export class SidecarTable implements BlockHooks {
  readonly #store: Pick<StateStore, "get" | "range">;

  constructor(store: Pick<StateStore, "get" | "range">) {
    this.#store = store;
  }

  /** The sidecar of a transaction by its position; undefined if it was never stored or is older than three weeks. */
  get(number: bigint, index: number): BlobSidecar | undefined {
    const row = this.#store.get(TABLE, keyOf(number, index));
    if (row === undefined) return undefined;
    const reader = new RlpReader(row.slice());
    reader.enterList("sidecar");
    const sidecar = readSidecar(reader);
    reader.leaveList();
    return sidecar;
  }

  inserted({ block, sidecars }: ExecutedBlock): Row[] {
    const { number } = block.header;
    const rows = [...(sidecars ?? [])].map(([index, sidecar]) => ({
      table: TABLE,
      key: keyOf(number, index),
      value: encodeItem(sidecarItems(sidecar)),
    }));
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

function keyOf(number: bigint, index: number): Uint8Array {
  const place = new Uint8Array(4);
  new DataView(place.buffer).setUint32(0, index);
  return concat(numberKey(number), place);
}
