import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import { type ChainPeer, encodeOnce } from "./chain-peer.ts";

/** Maximum transactions per message. */
const MAX_PER_MESSAGE = 1_000;
/** The same for those to a new peer, each of which takes a turn: about a millisecond. */
const MAX_PER_GREETING = 256;
/** Target size of a message in bytes. */
const MESSAGE_BYTES = 1 << 20;
/** A peer with this many unsent bytes gets none. */
const MAX_UNSENT_BYTES = 4 << 20;
/** After a message of new transactions, further ones are batched for this long: the overhead of a message exceeds the cost of its content. */
const BATCHING_PAUSE_MS = 50;
/** A transaction that stays executable for this long is resent, as by the reference node v2.2.1. */
const RESEND_MS = 4_000;
/**
 * The same between consensus nodes, where the reference does not resend. Under load transactions stay pending for several blocks, until
 * their node is the proposer: with an interval of four seconds, a fifth of the received transactions were duplicates.
 */
const CN_RESEND_MS = 30_000;
const MAX_RESENT = 1_000;
const RESEND_PEERS = 2;
/** Up to this many consensus peers, a consensus node reaches all of them, since it sends to half of them plus two. */
const FULL_FANOUT_PEERS = 4;
/** Number of consensus nodes to which a proxy node sends a transaction. */
const PN_FANOUT = 2;

/** Dependencies of the gossip. */
export interface GossipParts {
  readonly pool: Pick<TransactionPool, "onPending" | "content">;
  /** Connection type of this node. */
  readonly connectionType: number;
  readonly timers: Timers;
  peers(): Iterable<ChainPeer>;
}

/**
 * Gossips executable transactions. A consensus node sends to half of its consensus peers plus two, a proxy node to two consensus nodes and
 * all proxies, an endpoint node to all peers; none gets what it is known to have. Since a transaction may be lost in transit or by a
 * restarted node, those that stay pending are resent: by consensus nodes, after a longer interval, to all of their type, by others to two
 * peers in rotation. Among few consensus nodes, one that received a transaction from another relays it only if it stays pending: the sender
 * has reached all of them, and each duplicate costs as much as the first copy.
 */
export class TransactionGossip {
  readonly #parts: GossipParts;
  /** Transactions of the next message: sent in the next turn of the event loop, or after the pause. */
  #batch: Transaction[] = [];
  /** Runs until the next turn, and then until the pause is over. */
  #batchTimer: Cancel | undefined;
  #resendTimer: Cancel | undefined;
  /** What was executable at the last resend. */
  #lastPending: ReadonlySet<Transaction> = new Set();
  #turn = 0;
  /** Peers that are still being sent what was executable when they connected. */
  readonly #greetings = new Map<ChainPeer, Cancel>();
  readonly #unsubscribe: () => void;

  constructor(parts: GossipParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.pool.onPending((transactions) => this.#enqueue(transactions));
    this.#scheduleResend();
  }

  /**
   * Sends a new peer all executable transactions: one message at once, and one in each turn of the event loop, until all are
   * sent, or the peer does not read or has left.
   */
  sendPendingTo(peer: ChainPeer): void {
    const parts = inParts(flattened(this.#parts.pool.content().pending.values()), MAX_PER_GREETING);
    const sendNext = (): void => {
      this.#greetings.delete(peer);
      const { value: part } = parts.next();
      if (part === undefined || ![...this.#parts.peers()].includes(peer)) return;
      if (!send(peer, [{ transactions: unknownTo(peer, part.transactions) }])) return;
      this.#greetings.set(peer, this.#parts.timers.schedule(0, sendNext));
    };
    this.#greetings.get(peer)?.();
    sendNext();
  }

  /** Stops sending. */
  close(): void {
    for (const cancel of this.#greetings.values()) cancel();
    this.#greetings.clear();
    this.#unsubscribe();
    this.#batchTimer?.();
    this.#resendTimer?.();
  }

  #enqueue(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) this.#batch.push(transaction);
    this.#batchTimer ??= this.#parts.timers.schedule(0, () => this.#flush());
  }

  #flush(): void {
    const hasReachedAll = this.#reachedAll();
    const fresh = this.#batch.splice(0).filter((transaction) => !hasReachedAll(transaction));
    spread(this.#recipients(), fresh);
    this.#batchTimer = this.#parts.timers.schedule(BATCHING_PAUSE_MS, () => {
      this.#batchTimer = undefined;
      if (this.#batch.length > 0) this.#flush();
    });
  }

  /** A predicate: whether a transaction came from a consensus node that has sent it to all others too. */
  #reachedAll(): (transaction: Transaction) => boolean {
    const consensus = this.#ofType(ConnectionType.cn);
    if (this.#parts.connectionType !== ConnectionType.cn || consensus.length > FULL_FANOUT_PEERS)
      return () => false;
    return (transaction) => {
      const key = transactionKey(transaction);
      return consensus.some((peer) => peer.knownTransactions.has(key));
    };
  }

  /** The recipients of new transactions. */
  #recipients(): readonly ChainPeer[] {
    const { connectionType } = this.#parts;
    const consensus = this.#ofType(ConnectionType.cn);
    if (connectionType === ConnectionType.cn)
      return this.#some(consensus, Math.floor(consensus.length / 2) + 2);
    if (connectionType !== ConnectionType.pn) return [...this.#parts.peers()];
    return [...this.#some(consensus, PN_FANOUT), ...this.#ofType(ConnectionType.pn)];
  }

  #scheduleResend(): void {
    const isConsensus = this.#parts.connectionType === ConnectionType.cn;
    this.#resendTimer = this.#parts.timers.schedule(isConsensus ? CN_RESEND_MS : RESEND_MS, () => {
      this.#resend();
      this.#scheduleResend();
    });
  }

  #resend(): void {
    const waiting: Transaction[] = [];
    for (const ofSender of this.#parts.pool.content().pending.values()) {
      waiting.push(...ofSender.slice(0, MAX_RESENT - waiting.length));
      if (waiting.length >= MAX_RESENT) break;
    }
    const stillPending = waiting.filter((transaction) => this.#lastPending.has(transaction));
    this.#lastPending = new Set(waiting);
    if (stillPending.length === 0) return;
    if (this.#parts.connectionType === ConnectionType.cn)
      spread(this.#ofType(ConnectionType.cn), stillPending);
    else {
      const parts = [...inParts(stillPending)];
      for (const peer of this.#resendRecipients()) send(peer, parts);
    }
  }

  /** Two consensus nodes; if there are too few, proxies and, for an endpoint node, endpoints. */
  #resendRecipients(): readonly ChainPeer[] {
    const types = [ConnectionType.cn, ConnectionType.pn, ConnectionType.en];
    const chosen: ChainPeer[] = [];
    for (const type of types) {
      if (type === ConnectionType.en && this.#parts.connectionType !== ConnectionType.en) break;
      chosen.push(...this.#some(this.#ofType(type), RESEND_PEERS - chosen.length));
    }
    return chosen;
  }

  #ofType(type: number): readonly ChainPeer[] {
    return [...this.#parts.peers()].filter(({ session }) => session.connectionType === type);
  }

  /** At most `max` of the peers, in rotation. */
  #some(peers: readonly ChainPeer[], max: number): readonly ChainPeer[] {
    if (peers.length <= max) return peers;
    const start = this.#turn++ % peers.length;
    return [...peers.slice(start), ...peers.slice(0, start)].slice(0, Math.max(0, max));
  }
}

function unknownTo(peer: ChainPeer, transactions: readonly Transaction[]): readonly Transaction[] {
  return transactions.filter((transaction) => !peer.knownTransactions.has(transactionKey(transaction)));
}

/** A message of transactions, encoded on first use. */
interface Part {
  readonly transactions: readonly Transaction[];
  payload?: SharedPayload;
}

/** Sends each peer what it is not known to have; peers that lack the same share the encoded messages. */
function spread(peers: Iterable<ChainPeer>, transactions: readonly Transaction[]): void {
  let before: readonly Transaction[] = [];
  let parts: readonly Part[] = [];
  for (const peer of peers) {
    const unknown = unknownTo(peer, transactions);
    if (unknown.length !== before.length || unknown.some((transaction, i) => transaction !== before[i]))
      parts = [...inParts(unknown)];
    before = unknown;
    send(peer, parts);
  }
}

/** @returns whether the peer reads */
function send(peer: ChainPeer, parts: Iterable<Part>): boolean {
  for (const part of parts) {
    if (peer.session.unsent > MAX_UNSENT_BYTES) return false;
    if (part.transactions.length === 0) continue;
    for (const transaction of part.transactions) peer.knownTransactions.add(transactionKey(transaction));
    part.payload ??= encodeOnce("transactions", part.transactions);
    peer.sendShared("transactions", part.payload);
  }
  return true;
}

function* flattened(lists: Iterable<readonly Transaction[]>): Generator<Transaction> {
  for (const list of lists) yield* list;
}

/** Splits transactions into messages. @param max - maximum number in each */
function* inParts(transactions: Iterable<Transaction>, max = MAX_PER_MESSAGE): Generator<Part, undefined> {
  let part: Transaction[] = [];
  let size = 0;
  for (const transaction of transactions) {
    part.push(transaction);
    size += encodeTransaction(transaction).length;
    if (part.length < max && size < MESSAGE_BYTES) continue;
    yield { transactions: part };
    part = [];
    size = 0;
  }
  if (part.length > 0) yield { transactions: part };
}
