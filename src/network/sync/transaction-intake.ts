import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Hex } from "../../protocol/primitives/hex.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Maximum transactions added before yielding to other work. */
const MAX_BATCH = 64;

/** Dependencies of the intake. */
export interface IntakeParts {
  readonly pool: Pick<TransactionPool, "addAll">;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether a transaction is in a recent block: peers keep sending these for a while. */
  isIncluded(key: Hex): boolean;
}

/** A message whose transactions are not all added yet. */
interface TransactionsMessage {
  readonly transactions: readonly Transaction[];
  done: number;
  resolve(): void;
}

interface Arrival {
  readonly peer: ChainPeer;
  readonly transaction: Transaction;
}

/**
 * Adds peers' transactions to the pool, in batches with an equal share for each peer: one large batch is cheaper than many small ones.
 * Blob transactions, which take long to verify, are added separately and do not delay the others.
 */
export class TransactionIntake {
  readonly #parts: IntakeParts;
  readonly #messages = new Map<ChainPeer, TransactionsMessage[]>();
  #isWorking = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Resolves once the transactions of a message are processed, or their peer has disconnected. */
  take(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> {
    if (transactions.some(({ sidecar }) => sidecar !== undefined)) return this.#takeBlobs(peer, transactions);
    return new Promise((resolve) => {
      const messages = this.#messages.get(peer) ?? [];
      messages.push({ transactions, done: 0, resolve });
      this.#messages.set(peer, messages);
      if (!this.#isWorking) void this.#work();
    });
  }

  async #takeBlobs(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> {
    for (let i = 0; i < transactions.length && !peer.isOver; i += MAX_BATCH) {
      await this.#add(transactions.slice(i, i + MAX_BATCH).map((transaction) => ({ peer, transaction })));
      await this.#yield();
    }
  }

  /** Yields before each batch; what arrives meanwhile joins it. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#messages.size > 0) {
      await this.#yield();
      const { arrivals, done } = this.#next();
      await this.#add(arrivals);
      for (const { resolve } of done) resolve();
    }
    this.#isWorking = false;
  }

  /** The next batch, and the messages that it completes. */
  #next(): { readonly arrivals: readonly Arrival[]; readonly done: readonly TransactionsMessage[] } {
    const arrivals: Arrival[] = [];
    const done: TransactionsMessage[] = [];
    const share = Math.ceil(MAX_BATCH / this.#messages.size);
    // A peer that has used up its share goes to the end of the queue with the rest, and gets another turn if there is room.
    for (const [peer, messages] of this.#messages) {
      this.#messages.delete(peer);
      if (peer.isOver) {
        done.push(...messages);
        continue;
      }
      const [message] = messages as [TransactionsMessage];
      const end = message.done + Math.min(share, MAX_BATCH - arrivals.length);
      for (const transaction of message.transactions.slice(message.done, end))
        arrivals.push({ peer, transaction });
      message.done = end;
      if (end >= message.transactions.length) done.push(...messages.splice(0, 1));
      if (messages.length > 0) this.#messages.set(peer, messages);
      if (arrivals.length === MAX_BATCH) break;
    }
    return { arrivals, done };
  }

  /**
   * Never rejects, since what arrives later must not wait behind a failure. A rejection by the pool is not held against the peer, except
   * for invalid proofs, which are expensive to verify.
   */
  async #add(arrivals: readonly Arrival[]): Promise<void> {
    const { pool, logger, isIncluded } = this.#parts;
    for (const { peer, transaction } of arrivals) peer.knownTransactions.add(transactionKey(transaction));
    try {
      const wanted = arrivals.filter(({ transaction }) => !isIncluded(transactionKey(transaction)));
      const transactions = wanted.map(({ transaction }) => transaction);
      for (const [i, result] of (await pool.addAll(transactions, { local: false })).entries())
        if (isWrongSidecar(result)) wanted[i]?.peer.session.disconnect(DisconnectReason.subprotocolError);
    } catch (error) {
      logger.warn("transactions of peers not added", { reason: String(error).slice(0, 200) });
    }
  }

  #yield(): Promise<void> {
    return new Promise((resolve) => void this.#parts.timers.schedule(0, resolve));
  }
}

function isWrongSidecar(result: unknown): boolean {
  return result instanceof TransactionPoolError && result.code === "WRONG_SIDECAR";
}
