import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Chain } from "../../chain/chain.ts";
import type { TransactionOrBundle } from "../../execution/block/bundle.ts";
import type { StateReader } from "../../state/state.ts";
import type { PoolContent } from "../../txpool/content/content.ts";
import type { PoolEntry } from "../../txpool/content/entry.ts";
import type { Sender } from "../../txpool/content/sender.ts";
import { TransactionPoolError } from "../../txpool/errors.ts";
import type { FeeLending } from "../../txpool/fee-lending.ts";
import { balanceOf, nonceOf } from "../../txpool/head.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { type BundleTerms, bundleFault, isGaslessApprove, isGaslessSwap } from "./bundle-rules.ts";
import { bundled } from "./bundling.ts";
import { approveCall, looksGasless, swapCall } from "./calls.ts";
import { KnownParts, queueFull, type StatusOf } from "./known-parts.ts";
import type { Lender } from "./loan.ts";
import { approveRefusal, CheckLevel, swapRefusal } from "./sender-rules.ts";
import { GaslessContracts, type SwapRouter } from "./swap-router.ts";

/** Minimum balance of a lending proposer, kei. */
const MIN_FUNDS = 10n ** 18n;

/** A proposer's limits for gasless transactions. */
export interface GaslessOptions {
  /** Tokens of the router for which fees are lent; absent = all of them. */
  readonly allowedTokens?: readonly Address[];
  /** Maximum number of pending gasless transactions. */
  readonly maxPending?: number;
  /** Maximum number of queued gasless transactions. */
  readonly maxQueued?: number;
  /** Extent of the checks before a fee is lent: 0 to 3, see `CheckLevel`. */
  readonly checkLevel?: number;
}

/** The reference's defaults. */
export const DEFAULT_GASLESS = {
  maxPending: 100,
  maxQueued: 200,
  checkLevel: CheckLevel.all,
} as const satisfies GaslessOptions;

/** Dependencies of the gasless extension. */
export interface GaslessParts {
  readonly chain: Chain;
  readonly contracts: ContractReader;
  /** Absent on a node that lends nothing. */
  readonly lender?: Lender | undefined;
  readonly options?: GaslessOptions | undefined;
  /**
   * Milliseconds of `Clock.elapsed`. If given, parts of bundles stay in the pool only briefly, have a cooldown, and count as
   * queued until the next block, as in the reference node. Development chains are less strict.
   */
  readonly now?: (() => number) | undefined;
}

/** Gas abstraction: the proposer lends a sender the fees for a swap, which repays them in the same block. @see KIP-247 */
export class Gasless implements FeeLending {
  readonly maxPending: number;
  readonly #maxQueued: number;
  readonly #parts: GaslessParts;
  readonly #known: KnownParts | undefined;
  /** Whether a fee loan has ever been granted. */
  #hasCovered = false;
  #hasHeldBack = false;

  constructor(parts: GaslessParts) {
    this.#parts = parts;
    this.maxPending = parts.options?.maxPending ?? DEFAULT_GASLESS.maxPending;
    this.#maxQueued = parts.options?.maxQueued ?? DEFAULT_GASLESS.maxQueued;
    this.#known = parts.now && new KnownParts(this.#maxQueued, parts.now);
  }

  /** Whether this node lends fees. */
  get lends(): boolean {
    return this.#parts.lender !== undefined;
  }

  /** The proposer, if it has enough to lend. */
  get lender(): Lender | undefined {
    const { chain, lender } = this.#parts;
    return lender && balanceOf(chain.latestState(), lender.address) >= MIN_FUNDS ? lender : undefined;
  }

  /** The swap router at the head, with the tokens this node accepts. */
  router(): SwapRouter {
    return this.#routerOf(this.#contracts(this.#parts.chain.latestState()));
  }

  /** Why transactions are not a valid bundle on the head, as worded by the reference node; undefined if they are. */
  fault(approve: Transaction | undefined, swap: Transaction): string | undefined {
    return bundleFault(approve, swap, this.#terms(this.#parts.chain.latestState()));
  }

  /** Whether a transaction approves the router, by the rules of the head. */
  isApprove(tx: Transaction): boolean {
    const terms = this.#terms(this.#parts.chain.latestState());
    return isGaslessApprove(approveCall(tx, terms.chainId), terms);
  }

  /** Whether a transaction swaps at the router, by the rules of the head. */
  isSwap(tx: Transaction): boolean {
    const terms = this.#terms(this.#parts.chain.latestState());
    return isGaslessSwap(swapCall(tx, terms.chainId), terms);
  }

  /** The candidates of a block, with bundles in place of their parts. */
  bundle(candidates: Iterable<Transaction>): Iterable<TransactionOrBundle> {
    const { lender } = this;
    if (!this.#hasCovered || lender === undefined) return candidates;
    return [...bundled(candidates, this.#terms(this.#parts.chain.latestState()), lender)];
  }

  /** Limits the number of queued parts, each of which is checked by contract calls at every new head. */
  screen(tx: Transaction, content: PoolContent): void {
    if (!this.isBundlePart(tx)) return;
    if (this.#known !== undefined) this.#known.screen(bytesToHex(transactionHash(tx)));
    else if (countParts(content, "queue", this.#terms(this.#parts.chain.latestState())) >= this.#maxQueued)
      throw queueFull();
  }

  isBundlePart(tx: Transaction): boolean {
    if (!looksGasless(tx) || this.lender === undefined) return false;
    return isBundlePart(tx, this.#terms(this.#parts.chain.latestState()));
  }

  expired(): Iterable<string> {
    return this.#known?.expire() ?? [];
  }

  consumeHeldBack(): boolean {
    const hasHeldBack = this.#hasHeldBack;
    this.#hasHeldBack = false;
    return hasHeldBack;
  }

  reconcile(statusOf: StatusOf): void {
    this.#known?.reconcile(statusOf);
  }

  covers(tx: Transaction, from: Address, state: StateReader): boolean {
    if (!looksGasless(tx) || this.lender === undefined) return false;
    const { chain } = this.#parts;
    const level = this.#parts.options?.checkLevel ?? DEFAULT_GASLESS.checkLevel;
    const contracts = this.#contracts(state);
    const terms = this.#terms(state, contracts);
    const approve = approveCall(tx, terms.chainId);
    if (isGaslessApprove(approve, terms))
      return this.#accept(approveRefusal(approve, { state, contracts, level }));
    const swap = swapCall(tx, terms.chainId);
    if (!isGaslessSwap(swap, terms)) return false;
    const isFirst = tx.nonce === nonceOf(state, from);
    return this.#accept(
      swapRefusal(swap, { state, contracts, level, isFirst, time: chain.head.header.time }),
    );
  }

  isReady(entry: PoolEntry, sender: Sender, state: StateReader, content: PoolContent): boolean {
    const isReady = this.#isReady(entry, sender, state, content);
    if (isReady) this.#known?.promote(entry.hashKey);
    return isReady;
  }

  #isReady(
    { transaction: tx }: PoolEntry,
    sender: Sender,
    state: StateReader,
    content: PoolContent,
  ): boolean {
    if (!looksGasless(tx) || this.lender === undefined) return true;
    const terms = this.#terms(state);
    const neighbour = (nonce: bigint) => (sender.queue.get(nonce) ?? sender.pending.get(nonce))?.transaction;
    if (isGaslessApprove(approveCall(tx, terms.chainId), terms)) {
      const swap = neighbour(tx.nonce + 1n);
      return swap !== undefined && isBundle(tx, swap, terms) && this.#hasRoom(2, content, terms);
    }
    if (!isGaslessSwap(swapCall(tx, terms.chainId), terms)) return true;
    const isFirst = tx.nonce === nonceOf(state, sender.address);
    if (isFirst) return isBundle(undefined, tx, terms) && this.#hasRoom(1, content, terms);
    const approve = neighbour(tx.nonce - 1n);
    // The limit was checked for both when the approval was promoted.
    return approve !== undefined && isBundle(approve, tx, terms);
  }

  #accept(refusal: string | undefined): true {
    if (refusal !== undefined) throw new TransactionPoolError("INSUFFICIENT_FUNDS", refusal);
    this.#hasCovered = true;
    return true;
  }

  #hasRoom(wanted: number, content: PoolContent, terms: BundleTerms): boolean {
    const pending = this.#known?.pending ?? countParts(content, "pending", terms);
    const hasRoom = pending + wanted <= this.maxPending;
    if (!hasRoom) this.#hasHeldBack = true;
    return hasRoom;
  }

  #contracts(state: StateReader): GaslessContracts {
    return new GaslessContracts(this.#parts.contracts, state, this.#parts.chain.head.header);
  }

  #terms(state: StateReader, contracts = this.#contracts(state)): BundleTerms {
    const { address, tokens } = this.#routerOf(contracts);
    const { chainId } = this.#parts.chain.config;
    return { chainId, router: address, tokens, nonceOf: (account) => nonceOf(state, account) };
  }

  #routerOf(contracts: GaslessContracts): SwapRouter {
    const { address, tokens } = contracts.router();
    const { allowedTokens } = this.#parts.options ?? {};
    if (allowedTokens === undefined) return { address, tokens };
    const isAllowed = (token: Address) => allowedTokens.some((allowed) => equalBytes(allowed, token));
    return { address, tokens: tokens.filter(isAllowed) };
  }
}

function countParts(content: PoolContent, list: "pending" | "queue", terms: BundleTerms): number {
  let count = 0;
  for (const sender of content.senders())
    for (const { transaction } of sender[list].entries) if (isBundlePart(transaction, terms)) count++;
  return count;
}

function isBundle(approve: Transaction | undefined, swap: Transaction, terms: BundleTerms): boolean {
  return bundleFault(approve, swap, terms) === undefined;
}

function isBundlePart(tx: Transaction, terms: BundleTerms): boolean {
  if (!looksGasless(tx)) return false;
  return (
    isGaslessApprove(approveCall(tx, terms.chainId), terms) ||
    isGaslessSwap(swapCall(tx, terms.chainId), terms)
  );
}
