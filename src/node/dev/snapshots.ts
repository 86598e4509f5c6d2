import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock, ClockSetting } from "../../network/consensus/solo/chain-clock.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Amendments } from "./amendments.ts";
import { DevError } from "./errors.ts";
import { HeldSets } from "./held-sets.ts";
import { HeldTransactions } from "./held-transactions.ts";
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

/** How much may be kept for snapshots. */
export interface SnapshotLimits {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: SnapshotLimits = { count: 10_000, bytes: 256 << 20 };

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
 * process. The oldest are dropped where there are too many, or what they keep (transactions that waited, accounts
 * that were impersonated, rows that edits overwrote) takes too much memory.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #limits: SnapshotLimits;
  readonly #held = new HeldTransactions();
  readonly #impersonated = new HeldSets();
  #taken: Snapshot[] = [];
  #lastId = 0n;
  /** The newest that was dropped. */
  #lastDropped = 0n;

  constructor(parts: SnapshotParts, limits: SnapshotLimits = LIMITS) {
    this.#parts = parts;
    this.#limits = limits;
    parts.amendments.onRemembered = () => this.#shrink();
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
      const snapshot: Snapshot = {
        id: ++this.#lastId,
        number: header.number,
        hash,
        mark: amendments.mark,
        waiting: pool.inArrivalOrder(),
        clock: clock.setting,
        impersonation: impersonation.setting,
        nextBlock: nextBlock.setting,
      };
      this.#held.add(snapshot.waiting);
      this.#impersonated.add(snapshot.impersonation.accounts);
      this.#taken.push(snapshot);
      this.#shrink();
      return this.#lastId;
    });
  }

  /**
   * Goes back to a snapshot, which is gone then, as are all that were taken after it. Time goes on from when it was taken.
   * @returns whether there was one of this id whose block is still in the chain
   * @throws ChainError `STATE_PRUNED` when that is too far back; DevError `SNAPSHOT_DROPPED`
   */
  revert(id: bigint): Promise<boolean> {
    return this.#parts.chain.exclusive(async () => {
      const index = this.#taken.findIndex((snapshot) => snapshot.id === id);
      const snapshot = this.#taken[index];
      if (snapshot === undefined) {
        if (id > 0n && id <= this.#lastDropped) throw this.#dropped(id);
        return false;
      }
      const known = this.#parts.chain.ancestry.hash(snapshot.number);
      const isThere = known !== undefined && equalBytes(known, snapshot.hash);
      if (isThere) await this.#goBack(snapshot);
      for (const gone of this.#taken.splice(index)) this.#letGo(gone);
      return isThere;
    });
  }

  /** Forgets all. */
  clear(): void {
    for (const gone of this.#taken.splice(0)) this.#letGo(gone);
    this.#lastDropped = 0n;
    this.#parts.amendments.forget();
  }

  /** Drops the oldest until the rest is within the limits. */
  #shrink(): void {
    const { amendments } = this.#parts;
    const { count, bytes } = this.#limits;
    while (this.#taken.length > count || this.#bytes > bytes) {
      const oldest = this.#taken.shift();
      if (oldest === undefined) return;
      this.#letGo(oldest);
      this.#lastDropped = oldest.id;
      amendments.forget(this.#taken[0]?.mark);
    }
  }

  get #bytes(): number {
    return this.#held.bytes + this.#impersonated.bytes + this.#parts.amendments.bytes;
  }

  #letGo({ waiting, impersonation }: Snapshot): void {
    this.#held.remove(waiting);
    this.#impersonated.remove(impersonation.accounts);
  }

  #dropped(id: bigint): DevError {
    const { count, bytes } = this.#limits;
    const text = `snapshot 0x${id.toString(16)} was dropped: at most ${count} snapshots and ${bytes >> 20} MiB are kept`;
    return new DevError("SNAPSHOT_DROPPED", text, { id });
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
