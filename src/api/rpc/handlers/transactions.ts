import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { EMPTY_BYTES, type Hash } from "../../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { Handlers } from "../method.ts";
import { type LocatedTransaction, senderOf } from "../render/transaction.ts";
import type { transactions } from "../spec/transactions.ts";
import type { ChainReader, LocatedBlock } from "./chain-reader.ts";
import { submitRaw } from "./submit.ts";
import { locateReceipt, type View } from "./views.ts";

/** What handlers of transactions need. */
export interface TransactionDeps {
  readonly reader: ChainReader;
  readonly pool: TransactionPool;
  readonly wallets: WalletManager;
}

/** Finds transactions in the chain and in the pool. */
export class TransactionReader {
  readonly #reader: ChainReader;
  readonly #pool: TransactionPool;

  constructor({ reader, pool }: Pick<TransactionDeps, "reader" | "pool">) {
    this.#reader = reader;
    this.#pool = pool;
  }

  /** A transaction of the chain, else of the pool. */
  find(hash: Hash): LocatedTransaction | undefined {
    const { chain } = this.#reader;
    const place = chain.place(hash);
    const located = place && this.at(this.#reader.blockAt(place.blockNumber), place.index);
    if (located !== undefined) return located;
    const tx = this.#pool.get(hash);
    return tx && { tx, chainId: chain.config.chainId, index: 0 };
  }

  /** A transaction by its place. */
  at(block: LocatedBlock | undefined, index: number): LocatedTransaction | undefined {
    const tx = block?.block.transactions[index];
    if (block === undefined || tx === undefined) return undefined;
    return { tx, chainId: this.#reader.chain.config.chainId, block, index };
  }

  /** Hash of the transaction that its sender knew under `hash`. */
  bySender(hash: Hash): Hash {
    return this.#reader.chain.transactionHashBySender(hash) ?? hash;
  }

  /** A receipt of the chain in a namespace's form; null when there is none. */
  receipt(hash: Hash, view: View): ReturnType<View["receipt"]> | null {
    const { chain } = this.#reader;
    const place = chain.place(hash);
    const block = place && this.#reader.blockAt(place.blockNumber);
    const receipts = place && chain.receipts(place.blockNumber);
    if (place === undefined || block === undefined || receipts === undefined) return null;
    const located = locateReceipt(block, receipts, chain.config.chainId, place.index);
    return located === undefined ? null : view.receipt(located);
  }
}

/**
 * Transactions in the form of one namespace.
 * @param bare whether Ethereum typed transactions are written and taken without the byte 0x78 in front
 */
export function transactionHandlers(
  deps: TransactionDeps,
  view: View,
  bare: boolean,
): Handlers<typeof transactions> {
  const { reader, pool, wallets } = deps;
  const finder = new TransactionReader(deps);
  const show = (located: LocatedTransaction | undefined) =>
    located === undefined ? null : view.transaction(located);
  const raw = (located: LocatedTransaction | undefined) =>
    located === undefined ? EMPTY_BYTES : rawOf(located.tx, bare);

  return {
    getTransactionByHash: ({ hash }) => show(finder.find(hash)),
    getTransactionByBlockNumberAndIndex: ({ number, index }) =>
      show(finder.at(reader.blockAt(number), Number(index))),
    getTransactionByBlockHashAndIndex: ({ hash, index }) =>
      show(finder.at(reader.blockWith(hash), Number(index))),
    getTransactionReceipt: ({ hash }) => finder.receipt(hash, view),
    getRawTransactionByHash: ({ hash }) => raw(finder.find(hash)),
    getRawTransactionByBlockNumberAndIndex: ({ number, index }) =>
      raw(finder.at(reader.blockAt(number), Number(index))),
    getRawTransactionByBlockHashAndIndex: ({ hash, index }) =>
      raw(finder.at(reader.blockWith(hash), Number(index))),
    sendRawTransaction: ({ raw: bytes }) => submitRaw(pool, bytes, bare),
    pendingTransactions() {
      const { chainId } = reader.chain.config;
      return [...pool.content().pending.values()]
        .flat()
        .filter((tx) => wallets.has(senderOf({ tx, chainId })))
        .map((tx) => view.transaction({ tx, chainId, index: 0 }));
    },
  };
}

function rawOf(tx: Transaction, bare: boolean): Uint8Array {
  const bytes = encodeTransaction(tx);
  return bare && tx.type.code > 0xff ? bytes.subarray(1) : bytes;
}
