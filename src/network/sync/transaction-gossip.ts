import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import { type ChainPeer, encodeOnce } from "./chain-peer.ts";

/** Maximum transactions per message. */
const MAX_SENT = 1_000;
/** A message of transactions is closed once it has this many bytes. */
const SENT_BYTES = 1 << 20;
/** A peer with this many unread bytes gets none. */
const MAX_UNSENT_BYTES = 4 << 20;
/** After a message of new transactions, further ones are gathered for this long: a message costs more than its content. */
const REST_MS = 50;
/** A transaction that has been executable for this long is sent again, as by the reference node v2.2.1. */
const AGAIN_MS = 4_000;
/**
 * The same between consensus nodes, which the reference does not do. A node proposes its transactions when its turn comes, and under
 * load all stay pending for some blocks: when they were sent again after four seconds, a fifth of what arrived was already known.
 */
const AGAIN_BETWEEN_CNS_MS = 30_000;
const MAX_AGAIN = 1_000;
const PEERS_AGAIN = 2;
/** Consensus nodes to which the first one to have a transaction sends it: half of its peers and two more. */
const ALL_TOLD = 4;
/** Consensus nodes to which a proxy sends a transaction. */
const CNS_OF_PN = 2;

/** Dependencies of the gossip. */
export interface GossipParts {
  readonly pool: Pick<TransactionPool, "onPending" | "content">;
  /** Connection type of this node. */
  readonly connectionType: number;
  readonly timers: Timers;
  peers(): Iterable<ChainPeer>;
}

/**
 * Relays executable transactions. A consensus node sends to half of its kind and two more, a proxy to two consensus nodes and all proxies, an
 * endpoint to everybody, each only what it is not known to have. Since a transaction may get lost on its way, or with a node that was
 * restarted, those that stay pending are sent again: by consensus nodes, later, to their kind, by all others to two peers in rotation.
 * Among few consensus nodes, one that got a transaction from another relays it only if it stays: the other has sent it to all, and each
 * further copy costs them as much as the first.
 */
export class TransactionGossip {
  readonly #parts: GossipParts;
  /** Transactions that go to the peers together: in the next turn, or after the gathering pause. */
  #unspread: Transaction[] = [];
  /** Pending until the next turn, and then until the pause is over. */
  #spreading: Cancel | undefined;
  #again: Cancel | undefined;
  /** What was executable when transactions were last sent again. */
  #before: ReadonlySet<Transaction> = new Set();
  #turn = 0;
  readonly #unsubscribe: () => void;

  constructor(parts: GossipParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.pool.onPending((transactions) => this.#spreadSoon(transactions));
    this.#sendAgainLater();
  }

  /** Sends a new peer all executable transactions. */
  greet(peer: ChainPeer): void {
    spread([peer], [...this.#parts.pool.content().pending.values()].flat());
  }

  /** Stops sending. */
  close(): void {
    this.#unsubscribe();
    this.#spreading?.();
    this.#again?.();
  }

  #spreadSoon(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) this.#unspread.push(transaction);
    this.#spreading ??= this.#parts.timers.schedule(0, () => this.#spread());
  }

  #spread(): void {
    const isTold = this.#told();
    const fresh = this.#unspread.splice(0).filter((transaction) => !isTold(transaction));
    spread(this.#audience(), fresh);
    this.#spreading = this.#parts.timers.schedule(REST_MS, () => {
      this.#spreading = undefined;
      if (this.#unspread.length > 0) this.#spread();
    });
  }

  /** Whether a transaction came from a consensus node that has sent it to all others too. */
  #told(): (transaction: Transaction) => boolean {
    const consensus = this.#ofType(ConnectionType.cn);
    if (this.#parts.connectionType !== ConnectionType.cn || consensus.length > ALL_TOLD) return () => false;
    return (transaction) => {
      const key = transactionKey(transaction);
      return consensus.some((peer) => peer.knownTransactions.has(key));
    };
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
    const isConsensus = this.#parts.connectionType === ConnectionType.cn;
    this.#again = this.#parts.timers.schedule(isConsensus ? AGAIN_BETWEEN_CNS_MS : AGAIN_MS, () => {
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
    if (this.#parts.connectionType === ConnectionType.cn) spread(this.#ofType(ConnectionType.cn), stayed);
    else {
      const parts = inParts(stayed);
      for (const peer of this.#audienceAgain()) send(peer, parts);
    }
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

  /** A few of several peers, in rotation. */
  #some(peers: readonly ChainPeer[], most: number): readonly ChainPeer[] {
    if (peers.length <= most) return peers;
    const start = this.#turn++ % peers.length;
    return [...peers.slice(start), ...peers.slice(0, start)].slice(0, Math.max(0, most));
  }
}

function unknownTo(peer: ChainPeer, transactions: readonly Transaction[]): readonly Transaction[] {
  return transactions.filter((transaction) => !peer.knownTransactions.has(transactionKey(transaction)));
}

/** A message of transactions, encoded for the first peer that gets it. */
interface Part {
  readonly transactions: readonly Transaction[];
  payload?: SharedPayload;
}

/** Sends each peer what it is not known to have; those that lack the same get the same messages. */
function spread(peers: Iterable<ChainPeer>, transactions: readonly Transaction[]): void {
  let before: readonly Transaction[] = [];
  let parts: readonly Part[] = [];
  for (const peer of peers) {
    const unknown = unknownTo(peer, transactions);
    if (unknown.length !== before.length || unknown.some((transaction, i) => transaction !== before[i]))
      parts = inParts(unknown);
    before = unknown;
    send(peer, parts);
  }
}

function send(peer: ChainPeer, parts: readonly Part[]): void {
  for (const part of parts) {
    if (peer.session.unsent > MAX_UNSENT_BYTES) return;
    for (const transaction of part.transactions) peer.knownTransactions.add(transactionKey(transaction));
    part.payload ??= encodeOnce("transactions", part.transactions);
    peer.sendShared("transactions", part.payload);
  }
}

/** Transactions in messages. */
function inParts(transactions: readonly Transaction[]): readonly Part[] {
  const parts: Part[] = [];
  let part: Transaction[] = [];
  let size = 0;
  for (const transaction of transactions) {
    part.push(transaction);
    size += encodeTransaction(transaction).length;
    if (part.length < MAX_SENT && size < SENT_BYTES) continue;
    parts.push({ transactions: part });
    part = [];
    size = 0;
  }
  if (part.length > 0) parts.push({ transactions: part });
  return parts;
}
