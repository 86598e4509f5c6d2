import type { Chain, ExecutedBlock } from "../../../../ledger/chain/chain.ts";
import type { BlockPreview, PendingBlocks } from "../../../../ledger/chain/execute/pending.ts";
import type { StateChanges, StateReader } from "../../../../ledger/state/state.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { InclusionContext } from "../../render/transaction.ts";
import type { BlockNumber, BlockRef } from "../../spec/values/block-ref.ts";

/** A block of the chain with what rendering it needs. */
export interface LocatedBlock extends InclusionContext {
  readonly block: Block;
  /** Receipts of the pending block, which the chain does not have. */
  readonly pendingReceipts?: readonly Receipt[];
  /** Transactions whose receipts are shown: all, or none. */
  readonly shownReceipts?: readonly Receipt[];
}

/** Members that an unsealed block lacks. */
export const UNSEALED = { hash: null, nonce: null, miner: null };

/** A state with the header of the block that led to it. */
export interface LocatedState {
  readonly header: Header;
  readonly state: StateReader;
  /** Of the pending block alone: what it changed of the state of the newest one. */
  readonly changes?: StateChanges;
  /** Proposer of a block that has no seal. */
  readonly author?: Address | undefined;
}

/** Resolves block references of callers. */
export class ChainReader {
  readonly chain: Chain;
  readonly #pending: PendingBlocks | undefined;
  readonly #preview: () => BlockPreview | undefined;

  /**
   * @param pending - absent on a node that seals no blocks, where `pending` means the latest block
   * @param acceptsRecent - whether a recent preview may serve as `pending`, where states are requested often
   */
  constructor(chain: Chain, pending: PendingBlocks | undefined, acceptsRecent = false) {
    this.chain = chain;
    this.#pending = pending;
    this.#preview = () => (acceptsRecent ? pending?.recent() : pending?.preview());
  }

  /** Whether `pending` differs from the latest block. */
  get buildsPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Block number of a tag; that of the latest block for `pending`. */
  resolve(number: BlockNumber): bigint {
    return typeof number === "bigint" ? number : this.chain.head.header.number;
  }

  /**
   * Header and state after a block.
   * @throws RpcError -32000 with the reference's texts; `missing state` when its history is not kept
   */
  stateAt(ref: BlockRef): LocatedState {
    const preview = ref.number === "pending" ? this.#preview() : undefined;
    if (preview !== undefined) return preview;
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

  /**
   * Passes `use` a block by number or tag; undefined when there is none.
   * @returns a promise only where the pending block is not complete yet, or what `use` does takes long
   */
  withBlock<T>(
    number: BlockNumber,
    use: (located: LocatedBlock | undefined) => T | Promise<T>,
  ): T | Promise<T> {
    if (number !== "pending" || this.#pending === undefined) return use(this.blockAt(number));
    const pending = this.#pending.block();
    if (pending instanceof Promise) return pending.then((executed) => use(this.#locatePending(executed)));
    return use(this.#locatePending(pending));
  }

  #locatePending({ block, hash, receipts }: ExecutedBlock): LocatedBlock {
    const rules = this.chain.rulesAt(block.header.number);
    const shown = this.#pending?.showsReceipts === true ? receipts : [];
    return { header: block.header, hash, rules, block, pendingReceipts: receipts, shownReceipts: shown };
  }

  /** A block by number, the latest one for every tag; undefined if there is none. */
  blockAt(number: BlockNumber): LocatedBlock | undefined {
    const block = this.chain.block(this.resolve(number));
    return block && this.#locate(block);
  }

  /** A block by hash; undefined when there is none in the canonical chain. */
  blockWith(hash: Hash): LocatedBlock | undefined {
    const number = this.chain.number(hash);
    return number === undefined ? undefined : this.blockAt(number);
  }

  /** A header and its rules by number, the latest one for every tag; undefined if there is none. */
  headerAt(number: BlockNumber): InclusionContext | undefined {
    const header = this.chain.header(this.resolve(number));
    return header && this.contextOf(header);
  }

  /** What rendering a block needs. */
  contextOf(header: Header): InclusionContext {
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
