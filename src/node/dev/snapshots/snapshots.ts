import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import type { ChainClock, ClockSetting } from "../../../network/consensus/solo/chain-clock.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Impersonation, ImpersonationSetting } from "../accounts/impersonation.ts";
import type { Amendments } from "../amendments.ts";
import type { NextBlock, NextBlockSetting } from "../blocks/next-block.ts";
import { DevError } from "../errors.ts";
import { AccountSetMemory } from "./account-set-memory.ts";
import { TransactionMemory } from "./transaction-memory.ts";

/** The parts that a snapshot covers. */
export interface SnapshotParts {
  readonly chain: Blockchain;
  readonly pool: ChainTransactionPool;
  readonly clock: ChainClock;
  readonly amendments: Amendments;
  readonly impersonation: Impersonation;
  readonly nextBlock: NextBlock;
}

/** Limits of what snapshots may keep. */
export interface SnapshotLimits {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: SnapshotLimits = { count: 10_000, bytes: 256 << 20 };

interface Snapshot {
  readonly id: bigint;
  readonly number: bigint;
  readonly hash: Hash;
  /** Number of amendments made before it. */
  readonly mark: number;
  readonly waiting: readonly Transaction[];
  readonly clock: ClockSetting;
  readonly impersonation: ImpersonationSetting;
  readonly nextBlock: NextBlockSetting;
}

/**
 * Snapshots of a development chain: state with account keys, blocks, pool, time, impersonation and settings of the next
 * block. Each costs a few references, since the chain's own history does the work, and lasts as long as the process.
 * The oldest are dropped when there are too many, or when what they keep (pooled transactions, impersonated accounts,
 * rows overwritten by edits) takes too much memory.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #limits: SnapshotLimits;
  readonly #held = new TransactionMemory();
  readonly #impersonated = new AccountSetMemory();
  #taken: Snapshot[] = [];
  #lastId = 0n;
  /** The latest one dropped. */
  #lastDropped = 0n;

  constructor(parts: SnapshotParts, limits: SnapshotLimits = LIMITS) {
    this.#parts = parts;
    this.#limits = limits;
    parts.amendments.onRemembered = () => this.#shrink();
  }

  /** Whether there is any snapshot. */
  get any(): boolean {
    return this.#taken.length > 0;
  }

  /** Ids with the blocks that they go back to, oldest first. */
  list(): readonly { readonly id: bigint; readonly number: bigint; readonly hash: Hash }[] {
    return this.#taken;
  }

  /** Takes a snapshot. @returns its id; ids count up from 1 and are never reused */
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
   * Reverts to a snapshot, which is consumed, as are all later ones. Time continues from when it was taken.
   * @returns whether a snapshot with this id exists and its block is still in the chain
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
    chain.beginGeneration();
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
