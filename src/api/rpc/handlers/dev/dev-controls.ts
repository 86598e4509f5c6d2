import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import type { AccountKey } from "../../../../protocol/account/key.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import type { ResetOptions } from "../../spec/dev/values.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";

/** When blocks are sealed, and the clock of the chain. */
export interface SealingControls {
  /** Whether a block is sealed as soon as a transaction is executable. */
  readonly isAutomatic: boolean;
  /** Interval between blocks in milliseconds, with interval mining. */
  readonly intervalMs: number | undefined;
  /** @param spacing - seconds between the blocks */
  seal(blocks: number, spacing?: number): Promise<void>;
  setAutomatic(isAutomatic: boolean): void;
  /** Resolves once the blocks with these transactions are sealed. @returns undefined without automatic sealing */
  settled(transactionHashes: readonly Hash[]): Promise<void> | undefined;
  /** @param intervalMs - 0 turns it off */
  setInterval(intervalMs: number): void;
  /** @returns how far the clock is ahead of the wall clock, in milliseconds */
  advance(milliseconds: number): number;
  /** @returns by how many milliseconds the clock was moved */
  setTime(epochMs: number): number;
  /** @throws ChainClockError when it is not after the latest block's */
  setNextTime(seconds: bigint): void;
  /** @returns whether there was an interval before */
  setTimeInterval(seconds: bigint | undefined): boolean;
}

/** Accounts, edited without blocks. Each edit resolves when it is on disk and visible. */
export interface AccountControls {
  setBalance(address: Address, balance: bigint): Promise<void>;
  addBalance(address: Address, amount: bigint): Promise<void>;
  setNonce(address: Address, nonce: bigint): Promise<void>;
  setCode(address: Address, code: Uint8Array): Promise<void>;
  setStorage(address: Address, slot: Hash, value: Hash): Promise<void>;
  setKey(address: Address, key: AccountKey): Promise<void>;
  impersonate(address: Address): void;
  /** @returns whether it was impersonated */
  stopImpersonating(address: Address): boolean;
  impersonateAll(enabled: boolean): void;
  /** Impersonates an account while `work` runs. */
  impersonateDuring<T>(address: Address, work: () => Promise<T>): Promise<T>;
}

/** The next block, the pool, snapshots and the chain as a whole. */
export interface ChainControls {
  setNextBaseFee(baseFee: bigint): void;
  setRewardbase(address: Address): void;
  setPrevRandao(value: Hash): void;
  /** @returns whether it was in the pool @throws DevError `ALREADY_MINED` */
  drop(hash: Hash): boolean;
  /** Drops the transactions of one sender, or all. */
  dropAll(sender?: Address): void;
  snapshot(): Promise<bigint>;
  revert(id: bigint): Promise<boolean>;
  /** Removes the newest blocks. */
  rollback(depth: bigint): Promise<void>;
  /**
   * Starts over; by default from the chain's original start.
   * @param isLocal - whether the caller may name any upstream node, and not only those on the public internet
   */
  reset(wish?: ResetOptions, isLocal?: boolean): Promise<void>;
  /**
   * Reads a fork from another node from now on.
   * @param isLocal - as in `reset`
   * @throws DevError `FORK`; IntakeError `FORBIDDEN_TARGET` before anything is sent there
   */
  setForkUrl(url: string, isLocal: boolean): Promise<void>;
  /**
   * Packs the newest state while the chain goes on.
   * @param limits - of a caller: its pace, and the maximum characters of the packed text; absent = the owner writes a file
   */
  dump(limits?: { readonly pace: Pace; readonly characters: number }): Promise<Uint8Array>;
  /** @param isLocal - whether the caller is trusted with the memory that a large state takes */
  load(state: Uint8Array, isLocal: boolean): Promise<void>;
  /** Metadata as Hardhat and anvil report it. */
  metadata(): WireObject;
  /** The snapshots that can be reverted to, as anvil lists them. */
  snapshotsById(): WireObject;
  nodeInfo(): WireObject;
}

/** A fee payer for transactions that arrive without one. */
export interface FeePayerControls {
  /** Account that pays; undefined = none. */
  account: Address | undefined;
  /**
   * The encoding with the fee payer's signature, for a fee-delegated transaction without one; other bytes as they are.
   */
  complete(raw: Uint8Array): Promise<Uint8Array>;
}

/** Controls over a development chain. */
export interface DevControls {
  readonly sealing: SealingControls;
  readonly accounts: AccountControls;
  readonly chain: ChainControls;
  readonly feePayer: FeePayerControls;
}
