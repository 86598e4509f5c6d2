import type { NonceRange, TransactionPosition } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { runPaced } from "../../../../platform/runtime/turns/pace.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Address, EMPTY_BYTES, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { isEnveloped } from "../../../../protocol/transaction/types.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import { listText, NOTHING, objectText } from "../../engine/text/list-text.ts";
import { type InclusionContext, type LocatedTransaction, senderOf } from "../../render/transaction.ts";
import type { Caller, HeavyReads } from "../../services/heavy-reads.ts";
import { type Handlers, withBatchPreparation } from "../../spec/method.ts";
import {
  DEFAULT_PAGE_SIZE,
  MAX_POOL_PAGE_SIZE,
  type transactions,
} from "../../spec/transactions/transactions.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { ChainReader, LocatedBlock } from "../chain/chain-reader.ts";
import { contentBlock, longReceipt, type NamespaceView } from "../chain/views.ts";
import type { FeePayerControls } from "../dev/dev-controls.ts";
import { RawSubmission } from "./submit.ts";

/** What handlers of transactions need. */
export interface TransactionDeps {
  readonly reader: ChainReader;
  readonly pool: TransactionPool;
  readonly wallets: WalletManager;
  readonly reads: HeavyReads;
  /** Adds a fee payer where one is missing; present on a development chain. */
  readonly feePayer?: Pick<FeePayerControls, "complete"> | undefined;
}

/** Finds transactions in the chain and in the pool. */
export class TransactionReader {
  readonly #reads: HeavyReads;
  readonly #reader: ChainReader;
  readonly #pool: TransactionPool;

  constructor({ reader, pool, reads }: Pick<TransactionDeps, "reader" | "pool" | "reads">) {
    this.#reads = reads;
    this.#reader = reader;
    this.#pool = pool;
  }

  /** A transaction of the chain, else of the pool. */
  find(hash: Hash): LocatedTransaction | undefined {
    const { chain } = this.#reader;
    const place = chain.locate(hash);
    if (place !== undefined) return this.#placed(place);
    const tx = this.#pool.get(hash);
    return tx && { tx, chainId: chain.config.chainId, index: 0 };
  }

  /** The encoding of a transaction in the eth namespace; empty if it is unknown. */
  raw(hash: Hash): Uint8Array {
    const located = this.find(hash);
    return located === undefined ? EMPTY_BYTES : rawOf(located.tx, true);
  }

  /** A transaction by its index in a block. */
  at(block: LocatedBlock | undefined, index: number): LocatedTransaction | undefined {
    const tx = block?.block.transactions[index];
    if (block === undefined || tx === undefined) return undefined;
    return { tx, chainId: this.#reader.chain.config.chainId, block, index };
  }

  /** Transactions that an account sent, by nonce. */
  sent(sender: Address, nonces: NonceRange, count: number): LocatedTransaction[] {
    const sent: LocatedTransaction[] = [];
    for (const place of take(this.#reader.chain.sent(sender, nonces), count)) {
      const located = this.#placed(place);
      if (located !== undefined) sent.push(located);
    }
    return sent;
  }

  #placed(
    place: TransactionPosition,
  ): (LocatedTransaction & { readonly block: InclusionContext }) | undefined {
    const { chain } = this.#reader;
    const tx = chain.transaction(place);
    const block = this.#reader.headerAt(place.blockNumber);
    if (tx === undefined || block === undefined) return undefined;
    return { tx, chainId: chain.config.chainId, block, index: place.index };
  }

  /** Hash of the transaction with the sender transaction hash `hash`. */
  bySender(hash: Hash): Hash {
    return this.#reader.chain.transactionHashBySender(hash) ?? hash;
  }

  /**
   * JSON text of a receipt of the chain in a namespace's form; null when there is none. One with many logs is rendered in
   * slices.
   */
  receipt(hash: Hash, view: NamespaceView, caller: Caller): JsonText | null | Promise<JsonText> {
    const { chain } = this.#reader;
    const place = chain.locate(hash);
    const located = place && this.#placed(place);
    const placed = place && chain.receipt(place);
    if (located === undefined || placed === undefined) return null;
    const { tx, chainId, block, index } = located;
    const { receipt, firstLogIndex, cumulativeGasUsed } = placed;
    // One literal: an object spread from two others gets a shape of its own each time.
    const whole = { tx, chainId, block, index, receipt, firstLogIndex, cumulativeGasUsed };
    const long = longReceipt(view, whole);
    if (long === undefined) return new JsonText(view.receiptText(whole));
    return this.#reads.run(caller, (pace, draft) => runPaced(pace, objectText(long, draft)));
  }
}

/** The first `count` places, so that the iteration of a table ends before anything else is read. */
function take(places: Iterable<TransactionPosition>, count: number): TransactionPosition[] {
  const first: TransactionPosition[] = [];
  if (count === 0) return first;
  for (const place of places) if (first.push(place) === count) break;
  return first;
}

/**
 * Transactions in the form of one namespace.
 * @param bare whether Ethereum typed transactions are written and taken without the byte 0x78 in front
 */
export function transactionHandlers(
  deps: TransactionDeps,
  view: NamespaceView,
  bare: boolean,
): Handlers<typeof transactions> {
  const { reader, pool, feePayer } = deps;
  const finder = new TransactionReader(deps);
  const submission = new RawSubmission(pool, bare);
  const show = (located: LocatedTransaction | undefined) =>
    located === undefined ? null : view.transaction(located);
  const raw = (located: LocatedTransaction | undefined) =>
    located === undefined ? EMPTY_BYTES : rawOf(located.tx, bare);

  return {
    getTransactionByHash: ({ hash }) => show(finder.find(hash)),
    getTransactionByBlockNumberAndIndex: ({ number, index }) =>
      reader.withBlock(number, (block) => show(finder.at(contentBlock(view, block, number), Number(index)))),
    getTransactionByBlockHashAndIndex: ({ hash, index }) =>
      show(finder.at(contentBlock(view, reader.blockWith(hash), hash), Number(index))),
    getTransactionBySenderAndNonce({ sender, nonce }) {
      if (nonce === MAX_UINT64) return null;
      const [located] = finder.sent(sender, { from: nonce, to: nonce + 1n }, 1);
      return show(located);
    },
    getTransactionsBySender({ sender, from, count = BigInt(DEFAULT_PAGE_SIZE), newestFirst = false }) {
      const nonces = newestFirst
        ? { from: 0n, to: from === undefined || from === MAX_UINT64 ? MAX_UINT64 : from + 1n, newestFirst }
        : { from: from ?? 0n, to: MAX_UINT64 };
      const max = Math.min(Number(count), MAX_POOL_PAGE_SIZE);
      return finder.sent(sender, nonces, max).map((located) => view.transaction(located));
    },
    getTransactionReceipt: ({ hash }, context) => finder.receipt(hash, view, context),
    getRawTransactionByHash: ({ hash }) => raw(finder.find(hash)),
    getRawTransactionByBlockNumberAndIndex: ({ number, index }) =>
      reader.withBlock(number, (block) => raw(finder.at(contentBlock(view, block, number), Number(index)))),
    getRawTransactionByBlockHashAndIndex: ({ hash, index }) =>
      raw(finder.at(contentBlock(view, reader.blockWith(hash), hash), Number(index))),
    sendRawTransaction: feePayer
      ? async ({ raw: bytes }) => submission.submit(await feePayer.complete(bytes))
      : withBatchPreparation(
          ({ raw: bytes }) => submission.submit(bytes),
          (all) => submission.prepareBatch(all.map(({ raw: bytes }) => bytes)),
        ),
    pendingTransactions: (_, context) =>
      deps.reads.run(context, (pace, draft) => runPaced(pace, listText(ownPending(deps, view), draft))),
  };
}

/** Pending transactions of the node's own accounts, one step each. */
function* ownPending(
  { reader, pool, wallets }: TransactionDeps,
  view: NamespaceView,
): Generator<Json | undefined> {
  const { chainId } = reader.chain.config;
  for (const transactions of pool.content().pending.values())
    for (const tx of transactions) {
      const isOwn = wallets.has(senderOf({ tx, chainId }));
      yield isOwn ? view.transaction({ tx, chainId, index: 0 }) : NOTHING;
    }
}

function rawOf(tx: Transaction, bare: boolean): Uint8Array {
  const bytes = encodeTransaction(tx);
  return bare && isEnveloped(tx.type) ? bytes.subarray(1) : bytes;
}
