import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Hex } from "../../protocol/primitives/hex.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Transactions that are taken before others have their turn. */
const MAX_TAKEN = 64;

/** What transactions are taken with. */
export interface IntakeParts {
  readonly pool: Pick<TransactionPool, "addAll">;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether a transaction is in one of the latest blocks: peers go on sending these for a while. */
  isIncluded(key: Hex): boolean;
}

/** Transactions of one message, as far as they are not taken. */
interface Message {
  readonly transactions: readonly Transaction[];
  begun: number;
  resolve(): void;
}

interface Arrival {
  readonly peer: ChainPeer;
  readonly transaction: Transaction;
}

/**
 * Takes transactions of peers into the pool. Those of all peers go together, in equal shares: many at a time cost less than a few of
 * each message. What carries blobs takes long to verify, and does not hold others up.
 */
export class TransactionIntake {
  readonly #parts: IntakeParts;
  readonly #messages = new Map<ChainPeer, Message[]>();
  #isWorking = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Resolves once the transactions of a message are taken, or their peer is gone. */
  take(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> {
    if (transactions.some(({ sidecar }) => sidecar !== undefined)) return this.#takeAlone(peer, transactions);
    return new Promise((resolve) => {
      const messages = this.#messages.get(peer) ?? [];
      messages.push({ transactions, begun: 0, resolve });
      this.#messages.set(peer, messages);
      if (!this.#isWorking) void this.#work();
    });
  }

  async #takeAlone(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> {
    for (let i = 0; i < transactions.length && !peer.isOver; i += MAX_TAKEN) {
      await this.#add(transactions.slice(i, i + MAX_TAKEN).map((transaction) => ({ peer, transaction })));
      await this.#othersTurn();
    }
  }

  /** Before each step others have their turn, and what arrives meanwhile goes with it. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#messages.size > 0) {
      await this.#othersTurn();
      const { arrivals, done } = this.#next();
      await this.#add(arrivals);
      for (const { resolve } of done) resolve();
    }
    this.#isWorking = false;
  }

  /** What is taken next, and the messages that end with it. */
  #next(): { readonly arrivals: readonly Arrival[]; readonly done: readonly Message[] } {
    const arrivals: Arrival[] = [];
    const done: Message[] = [];
    const share = Math.ceil(MAX_TAKEN / this.#messages.size);
    // A sender that has had its share and has more goes to the end of the line, and gets another turn while there is
    // room.
    for (const [peer, messages] of this.#messages) {
      this.#messages.delete(peer);
      if (peer.isOver) {
        done.push(...messages);
        continue;
      }
      const [message] = messages as [Message];
      const end = message.begun + Math.min(share, MAX_TAKEN - arrivals.length);
      for (const transaction of message.transactions.slice(message.begun, end))
        arrivals.push({ peer, transaction });
      message.begun = end;
      if (end >= message.transactions.length) done.push(...messages.splice(0, 1));
      if (messages.length > 0) this.#messages.set(peer, messages);
      if (arrivals.length === MAX_TAKEN) break;
    }
    return { arrivals, done };
  }

  /** A rejection by the pool is nobody's fault, except for proofs, which cost much to verify. */
  async #add(arrivals: readonly Arrival[]): Promise<void> {
    const { pool, logger, isIncluded } = this.#parts;
    for (const { peer, transaction } of arrivals) peer.knownTransactions.add(transactionKey(transaction));
    const wanted = arrivals.filter(({ transaction }) => !isIncluded(transactionKey(transaction)));
    const transactions = wanted.map(({ transaction }) => transaction);
    const results = await pool.addAll(transactions, { local: false }).catch((error) => {
      logger.debug("transactions not taken", { reason: String(error).slice(0, 200) });
      return [];
    });
    for (const [i, result] of results.entries())
      if (isWrongSidecar(result)) wanted[i]?.peer.session.disconnect(DisconnectReason.subprotocolError);
  }

  #othersTurn(): Promise<void> {
    return new Promise((resolve) => void this.#parts.timers.schedule(0, resolve));
  }
}

function isWrongSidecar(result: unknown): boolean {
  return result instanceof TransactionPoolError && result.code === "WRONG_SIDECAR";
}
