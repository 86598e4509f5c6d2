import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Transactions of one message. */
const MAX_SENT = 1_000;
/** A message of transactions ends when it has so many bytes. */
const SENT_BYTES = 1 << 20;
/** A peer with this many unread bytes gets none. */
const MAX_UNSENT_BYTES = 4 << 20;
/** What was executable so long ago and still is, is sent again: so many transactions, to so many peers. @see reference node v2.2.1 */
const AGAIN_MS = 4_000;
const MAX_AGAIN = 1_000;
const PEERS_AGAIN = 2;
/** Peers of a consensus node that all are told of a transaction by the one that had it first: half of them and two more. */
const ALL_TOLD = 4;
/** Consensus nodes that a proxy tells of a transaction. */
const CNS_OF_PN = 2;

/** What transactions are passed on with. */
export interface GossipParts {
  readonly pool: Pick<TransactionPool, "onPending" | "content">;
  /** Connection type of this node. */
  readonly connectionType: number;
  readonly timers: Timers;
  peers(): Iterable<ChainPeer>;
}

/**
 * Passes executable transactions on. A consensus node tells half of its kind and two more, a proxy two consensus nodes and all proxies, an
 * endpoint everybody, each what it is not known to have; and since a transaction may get lost on its way, or with a node that was started
 * again, all but consensus nodes send those that stay again, to two peers. Which ones goes in turns. Among a few consensus nodes, who
 * has a transaction of another passes it on only if it stays: the other has told all of them, and each copy costs them as much as the first.
 */
export class TransactionGossip {
  readonly #parts: GossipParts;
  /** Transactions that go to the peers with the next turn, together: a message costs more than what it carries. */
  #unspread: Transaction[] = [];
  #spreading: Cancel | undefined;
  #again: Cancel | undefined;
  /** What was executable when transactions were sent again the last time. */
  #before: ReadonlySet<Transaction> = new Set();
  #turn = 0;
  readonly #unsubscribe: () => void;

  constructor(parts: GossipParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.pool.onPending((transactions) => this.#spreadSoon(transactions));
    this.#sendAgainLater();
  }

  /** Tells a new peer of all that is executable. */
  greet(peer: ChainPeer): void {
    send(peer, unknownTo(peer, [...this.#parts.pool.content().pending.values()].flat()));
  }

  /** Sends nothing any more. */
  close(): void {
    this.#unsubscribe();
    this.#spreading?.();
    this.#again?.();
  }

  #spreadSoon(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) this.#unspread.push(transaction);
    this.#spreading ??= this.#parts.timers.schedule(0, () => {
      this.#spreading = undefined;
      const fresh = this.#unspread.splice(0).filter((transaction) => !this.#isTold(transaction));
      for (const peer of this.#audience()) send(peer, unknownTo(peer, fresh));
    });
  }

  /** Whether a transaction came from a consensus node that has told all others, too. */
  #isTold(transaction: Transaction): boolean {
    if (this.#parts.connectionType !== ConnectionType.cn) return false;
    const consensus = this.#ofType(ConnectionType.cn);
    const hash = transactionHash(transaction);
    return consensus.length <= ALL_TOLD && consensus.some((peer) => peer.knownTransactions.has(hash));
  }

  /** The peers that get new transactions. */
  #audience(): readonly ChainPeer[] {
    const { connectionType } = this.#parts;
    const consensus = this.#ofType(ConnectionType.cn);
    if (connectionType === ConnectionType.cn)
      return this.#some(consensus, Math.floor(consensus.length / 2) + 2);
    if (connectionType !== ConnectionType.pn) return [...this.#parts.peers()];
    return [...this.#some(consensus, CNS_OF_PN), ...this.#ofType(ConnectionType.pn)];
  }

  #sendAgainLater(): void {
    this.#again = this.#parts.timers.schedule(AGAIN_MS, () => {
      this.#sendAgain();
      this.#sendAgainLater();
    });
  }

  #sendAgain(): void {
    const waiting: Transaction[] = [];
    for (const ofSender of this.#parts.pool.content().pending.values()) {
      waiting.push(...ofSender.slice(0, MAX_AGAIN - waiting.length));
      if (waiting.length >= MAX_AGAIN) break;
    }
    const stayed = waiting.filter((transaction) => this.#before.has(transaction));
    this.#before = new Set(waiting);
    if (stayed.length === 0) return;
    if (this.#parts.connectionType === ConnectionType.cn)
      for (const peer of this.#ofType(ConnectionType.cn)) send(peer, unknownTo(peer, stayed));
    else for (const peer of this.#audienceAgain()) send(peer, stayed);
  }

  /** Two consensus nodes; where there are too few, proxies, and, from an endpoint, endpoints. */
  #audienceAgain(): readonly ChainPeer[] {
    const types = [ConnectionType.cn, ConnectionType.pn, ConnectionType.en];
    const chosen: ChainPeer[] = [];
    for (const type of types) {
      if (type === ConnectionType.en && this.#parts.connectionType !== ConnectionType.en) break;
      chosen.push(...this.#some(this.#ofType(type), PEERS_AGAIN - chosen.length));
    }
    return chosen;
  }

  #ofType(type: number): readonly ChainPeer[] {
    return [...this.#parts.peers()].filter(({ session }) => session.connectionType === type);
  }

  /** Some of several, each time others. */
  #some(peers: readonly ChainPeer[], most: number): readonly ChainPeer[] {
    if (peers.length <= most) return peers;
    const start = this.#turn++ % peers.length;
    return [...peers.slice(start), ...peers.slice(0, start)].slice(0, Math.max(0, most));
  }
}

function unknownTo(peer: ChainPeer, transactions: readonly Transaction[]): readonly Transaction[] {
  return transactions.filter((transaction) => !peer.knownTransactions.has(transactionHash(transaction)));
}

function send(peer: ChainPeer, transactions: readonly Transaction[]): void {
  for (const part of parts(transactions)) {
    if (peer.session.unsent > MAX_UNSENT_BYTES) return;
    for (const transaction of part) peer.knownTransactions.add(transactionHash(transaction));
    peer.send("transactions", part);
  }
}

/** Transactions in messages. */
function* parts(transactions: readonly Transaction[]): Generator<readonly Transaction[]> {
  let part: Transaction[] = [];
  let size = 0;
  for (const transaction of transactions) {
    part.push(transaction);
    size += encodeTransaction(transaction).length;
    if (part.length < MAX_SENT && size < SENT_BYTES) continue;
    yield part;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield part;
}
