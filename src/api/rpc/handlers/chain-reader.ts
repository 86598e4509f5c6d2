import type { Chain } from "../../../ledger/chain/chain.ts";
import type { StateReader } from "../../../ledger/state/state.ts";
import type { Block } from "../../../protocol/block/block.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { refused } from "../errors.ts";
import type { BlockContext } from "../render/transaction.ts";
import type { BlockNumber, BlockRef } from "../spec/block-ref.ts";

/** A block of the chain with what its renderings need. */
export interface LocatedBlock extends BlockContext {
  readonly block: Block;
}

/** Finds what callers mean by a block. `pending` reads as the newest block: there is no block before it is sealed. */
export class ChainReader {
  readonly chain: Chain;

  constructor(chain: Chain) {
    this.chain = chain;
  }

  /** Number behind a tag. */
  resolve(number: BlockNumber): bigint {
    return typeof number === "bigint" ? number : this.chain.head.header.number;
  }

  /**
   * Header and state after a block.
   * @throws RpcError -32000 with the reference's texts; `missing state` when its history is not kept
   */
  stateAt(ref: BlockRef): { readonly header: Header; readonly state: StateReader } {
    if (typeof ref.number === "string")
      return { header: this.chain.head.header, state: this.chain.latestState() };
    const number = this.#numberOf(ref);
    const header = this.chain.header(number);
    if (header === undefined) throw refused(`the header does not exist (block number: ${number})`);
    const state = this.chain.stateAt(number);
    if (state === undefined) throw refused(`missing state of block ${number}: its history is not kept`);
    return { header, state };
  }

  #numberOf(ref: BlockRef): bigint {
    if (typeof ref.number === "bigint") return ref.number;
    if (ref.hash === undefined) throw refused("invalid arguments; neither block nor hash specified");
    const number = this.chain.number(ref.hash);
    if (number === undefined) throw refused("header for hash not found");
    return number;
  }

  /** A block by number; undefined when there is none. */
  blockAt(number: BlockNumber): LocatedBlock | undefined {
    const block = this.chain.block(this.resolve(number));
    return block && this.#locate(block);
  }

  /** A block by hash; undefined when there is none in the canonical chain. */
  blockWith(hash: Hash): LocatedBlock | undefined {
    const number = this.chain.number(hash);
    return number === undefined ? undefined : this.blockAt(number);
  }

  /** A header and its rules by number; undefined when there is none. */
  headerAt(number: BlockNumber): BlockContext | undefined {
    const header = this.chain.header(this.resolve(number));
    return header && this.contextOf(header);
  }

  /** What renderings need of a block. */
  contextOf(header: Header): BlockContext {
    const hash = this.chain.hash(header.number) as Hash;
    return { header, hash, rules: this.chain.rulesAt(header.number) };
  }

  #locate(block: Block): LocatedBlock {
    return { ...this.contextOf(block.header), block };
  }

  /** A block by any reference. @throws RpcError -32000 when there is none */
  requireBlock(ref: BlockRef): LocatedBlock {
    if (ref.number !== undefined) return this.blockAt(ref.number) ?? noBlock(ref.number);
    if (ref.hash === undefined) throw refused("invalid arguments; neither block nor hash specified");
    return this.blockWith(ref.hash) ?? noBlock(ref.hash);
  }
}

/** @throws RpcError -32000 `the block does not exist` */
export function noBlock(wanted: BlockNumber | Hash): never {
  const which =
    wanted instanceof Uint8Array ? `block hash: ${bytesToHex(wanted)}` : `block number: ${wanted}`;
  throw refused(`the block does not exist (${which})`);
}
