import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock, ClockSetting } from "../../network/consensus/solo/chain-clock.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Amendments } from "./amendments.ts";
import type { Impersonation, ImpersonationSetting } from "./impersonation.ts";
import type { NextBlock, NextBlockSetting } from "./next-block.ts";

/** What a snapshot is taken of. */
export interface SnapshotParts {
  readonly chain: Blockchain;
  readonly pool: ChainTransactionPool;
  readonly clock: ChainClock;
  readonly amendments: Amendments;
  readonly impersonation: Impersonation;
  readonly nextBlock: NextBlock;
}

interface Snapshot {
  readonly id: bigint;
  readonly number: bigint;
  readonly hash: Hash;
  /** Amendments that were made before. */
  readonly mark: number;
  readonly waiting: readonly Transaction[];
  readonly clock: ClockSetting;
  readonly impersonation: ImpersonationSetting;
  readonly nextBlock: NextBlockSetting;
}

/**
 * Moments of a development chain to go back to: state with account keys, blocks, pool, time, impersonation and what was
 * asked of the next block. They cost a few references each, since the chain's own history does the work, and end with the
 * process.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  #taken: Snapshot[] = [];
  #lastId = 0n;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Whether there is one to go back to. */
  get any(): boolean {
    return this.#taken.length > 0;
  }

  /** Ids with the blocks that they go back to, oldest first. */
  list(): readonly { readonly id: bigint; readonly number: bigint; readonly hash: Hash }[] {
    return this.#taken;
  }

  /** Takes one. @returns its id; ids rise from 1 and are not used twice */
  take(): Promise<bigint> {
    const { chain, pool, clock, amendments, impersonation, nextBlock } = this.#parts;
    return chain.exclusive(async () => {
      await chain.published();
      if (!this.any) amendments.forget();
      const { header, hash } = chain.tip;
      this.#taken.push({
        id: ++this.#lastId,
        number: header.number,
        hash,
        mark: amendments.mark,
        waiting: pool.inArrivalOrder(),
        clock: clock.setting,
        impersonation: impersonation.setting,
        nextBlock: nextBlock.setting,
      });
      return this.#lastId;
    });
  }

  /**
   * Goes back to a snapshot, which is gone then, as are all that were taken after it. Time goes on from when it was taken.
   * @returns whether there was one of this id whose block is still in the chain
   * @throws ChainError `STATE_PRUNED` when that is too far back
   */
  revert(id: bigint): Promise<boolean> {
    return this.#parts.chain.exclusive(async () => {
      const index = this.#taken.findIndex((snapshot) => snapshot.id === id);
      const snapshot = this.#taken[index];
      if (snapshot === undefined) return false;
      const known = this.#parts.chain.ancestry.hash(snapshot.number);
      const isThere = known !== undefined && equalBytes(known, snapshot.hash);
      if (isThere) await this.#goBack(snapshot);
      this.#taken = this.#taken.slice(0, index);
      return isThere;
    });
  }

  /** Forgets all. */
  clear(): void {
    this.#taken = [];
    this.#parts.amendments.forget();
  }

  async #goBack(snapshot: Snapshot): Promise<void> {
    const { chain, pool, clock, amendments, impersonation, nextBlock } = this.#parts;
    await chain.published();
    if (chain.tip.header.number > snapshot.number) await chain.rewind(snapshot.number);
    await amendments.undoTo(snapshot.mark);
    impersonation.restore(snapshot.impersonation);
    nextBlock.restore(snapshot.nextBlock);
    clock.restore(snapshot.clock);
    pool.clear();
    chain.announce();
    await pool.addAll(snapshot.waiting, { local: true });
  }
}
