import type { Block } from "../../../protocol/block/block.ts";
import { decodeBlock, encodeBlock } from "../../../protocol/block/block-codec.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Row, StateStore } from "../../state/state.ts";

/** A rejected block, and the reason. */
export interface BadBlock {
  readonly hash: Hash;
  readonly block: Block;
  readonly reason: string;
}

/** Block hash → `rlp([reason, block])`. */
const TABLE = "badBlock";
const FIRST_HASH = new Uint8Array(32);
/** Above every hash. */
const END = new Uint8Array(33).fill(0xff);
/** Limits of remembered bad blocks: number and bytes. */
const REMEMBERED = { blocks: 100, bytes: 64 * 2 ** 20 };

interface Remembered extends BadBlock {
  readonly row: Uint8Array;
}

/** The rejected blocks of a database, highest number first, as listed by `debug_getBadBlocks`. */
export class BadBlocks {
  readonly #store: Pick<StateStore, "range" | "write">;
  #blocks: readonly Remembered[] | undefined;

  constructor(store: Pick<StateStore, "range" | "write">) {
    this.#store = store;
  }

  /** Stores a block; those with the lowest numbers are dropped to make room. */
  add({ hash, block, reason }: BadBlock): void {
    const row = encodeItem([new TextEncoder().encode(reason), encodeBlock(block)]);
    const others = this.#remembered().filter((known) => !equalBytes(known.hash, hash));
    const sorted = sortedByNumber([{ hash, block, reason, row }, ...others]);
    const kept = fitting(sorted);
    const dropped = sorted
      .slice(kept.length)
      .map((bad): Row => ({ table: TABLE, key: bad.hash, value: null }));
    this.#blocks = kept;
    // A disk that cannot be written to already stops the chain; nobody waits for this row.
    this.#store.write([{ table: TABLE, key: hash, value: row }, ...dropped]).catch(() => {});
  }

  list(): readonly BadBlock[] {
    return this.#remembered();
  }

  #remembered(): readonly Remembered[] {
    this.#blocks ??= sortedByNumber([...this.#stored()]);
    return this.#blocks;
  }

  *#stored(): Generator<Remembered> {
    for (const [key, value] of this.#store.range(TABLE, FIRST_HASH, END)) {
      const row = value.slice();
      const reader = new RlpReader(row);
      reader.enterList("bad block");
      const reason = new TextDecoder().decode(reader.bytes());
      const block = decodeBlock(reader.bytes());
      yield { hash: key.slice(), block, reason, row };
    }
  }
}

function sortedByNumber(blocks: Remembered[]): Remembered[] {
  return blocks.sort((a, b) => Number(b.block.header.number - a.block.header.number));
}

/** As many from the front as fit within the limits, but always the first. */
function fitting(blocks: readonly Remembered[]): readonly Remembered[] {
  let bytes = 0;
  const end = blocks.findIndex(({ row }, i) => {
    bytes += row.length;
    return i === REMEMBERED.blocks || (i > 0 && bytes > REMEMBERED.bytes);
  });
  return end < 0 ? blocks : blocks.slice(0, end);
}
