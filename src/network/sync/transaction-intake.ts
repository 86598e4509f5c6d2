import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Hex } from "../../protocol/primitives/hex.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Transactions taken before other work gets a turn. */
const MAX_TAKEN = 64;

/** Dependencies of the intake. */
export interface IntakeParts {
  readonly pool: Pick<TransactionPool, "addAll">;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether a transaction is in one of the latest blocks: peers keep sending these for a while. */
  isIncluded(key: Hex): boolean;
}

/** The transactions of one message that are not taken yet. */
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
 * Takes peers' transactions into the pool. Those of all peers go together, in equal shares: many at a time cost less than a few of
 * each message. Blob transactions take long to verify, and do not hold up the others.
 */
export class TransactionIntake {
  readonly #parts: IntakeParts;
  readonly #messages = new Map<ChainPeer, Message[]>();
  #isWorking = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Resolves once the transactions of a message are taken, or their peer has disconnected. */
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

  /** Before each step other work gets a turn, and what arrives meanwhile joins the step. */
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

  /** The transactions taken next, and the messages they complete. */
  #next(): { readonly arrivals: readonly Arrival[]; readonly done: readonly Message[] } {
    const arrivals: Arrival[] = [];
    const done: Message[] = [];
    const share = Math.ceil(MAX_TAKEN / this.#messages.size);
    // A peer that has used up its share goes to the end of the line with the rest, and gets another turn if there is
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

  /** A rejection by the pool is nobody's fault, except for invalid proofs, which are expensive to verify. */
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
