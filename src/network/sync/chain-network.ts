// One class: sessions, heads and the pool's events share the peers, and stop together.
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { HeadEvent } from "../../ledger/chain/chain.ts";
import type { BlockImporter } from "../../ledger/chain/import/importer.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { addressOfPublicKey } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, type Hex } from "../../protocol/primitives/hex.ts";
import { transactionSize } from "../../protocol/transaction/encoding.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { PassedMessage, ValidatorPeer } from "../consensus/istanbul/engine/validator-peer.ts";
import { PeerError } from "../p2p/errors.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import type { MessageValue } from "../protocol/chain-messages.ts";
import { ChainPeer, encodeOnce, type PeerEvents, type Status } from "./chain-peer.ts";
import { KnownHashes } from "./known-hashes.ts";
import type { MessageWatch } from "./message-watch.ts";
import { MissingSidecars, type MissingSidecarsParts } from "./missing-sidecars.ts";
import { PushedBlocks } from "./pushed-blocks.ts";
import type { ServedChain } from "./serve.ts";
import { Synchroniser } from "./synchroniser.ts";
import { TransactionGossip } from "./transaction-gossip.ts";
import { TransactionIntake } from "./transaction-intake.ts";

/** Maximum distance of an announced block from our head. */
const MAX_DISTANCE = 640n;
/** Bytes of a validator's transactions that may wait while its votes are read. */
const MAX_WAITING_BYTES = 8 << 20;
/** Number of transactions of the latest blocks remembered, since peers keep sending them for a while. */
const MAX_INCLUDED = 32_768;
/** A peer with this many unread bytes gets no announcements. */
const MAX_UNSENT_BYTES = 4 << 20;

/** What a consensus node adds: the consensus engine. */
export interface ValidatorSide {
  /** Whether an address has a seat in the council of the next block; other consensus nodes are not accepted as peers. */
  hasSeat(address: Address): boolean;
  connected(peer: ValidatorPeer): void;
  gone(peer: ValidatorPeer): void;
  /** @throws NodeError if no honest node would have sent it */
  receive(peer: ValidatorPeer, message: PassedMessage): void;
}

/** Dependencies of the chain network. */
export interface ChainNetworkParts {
  readonly chain: Blockchain;
  readonly importer: BlockImporter;
  readonly pool: Pick<TransactionPool, "addAll" | "onPending" | "content">;
  readonly served: ServedChain;
  readonly networkId: bigint;
  /** Present on a consensus node. */
  readonly validators?: ValidatorSide | undefined;
  /** Connection type of this node. */
  readonly connectionType: number;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Absent = messages are not counted. */
  readonly watch?: MessageWatch | undefined;
  /** The blob sidecars and their verifier. Absent = none are requested. */
  readonly sidecars?: Pick<MissingSidecarsParts, "table" | "verifier" | "clock"> | undefined;
  /** Disconnects and bans a liar. */
  ban(session: PeerSession): void;
}

/** Synchronises with peers, serves them, and exchanges blocks and transactions. */
export class ChainNetwork implements PeerEvents {
  readonly synchroniser: Synchroniser;
  readonly #parts: ChainNetworkParts;
  readonly #peers = new Map<PeerSession, ChainPeer>();
  /** On a consensus node, the peers that are consensus nodes. */
  readonly #validators = new Map<ChainPeer, ValidatorPeer>();
  readonly #intake: TransactionIntake;
  /** Transactions of other validators that are not yet in the pool. */
  readonly #waiting = new WeakMap<ChainPeer, { bytes: number }>();
  readonly #missingSidecars: MissingSidecars | undefined;
  /** Transactions of the latest blocks. */
  readonly #included = new KnownHashes(MAX_INCLUDED);
  readonly #pushed: PushedBlocks;
  readonly #gossip: TransactionGossip;
  /** The message last sent to validators. */
  #passed: { readonly message: PassedMessage; readonly payload: SharedPayload } | undefined;
  readonly #unsubscribe: (() => void)[];
  /** Whether transactions are accepted: once the chain is synchronised, or if this node seals blocks. */
  #takesTransactions: boolean;

  constructor(parts: ChainNetworkParts) {
    this.#parts = parts;
    const { chain, importer, timers, logger, pool } = parts;
    this.synchroniser = new Synchroniser({
      ...{ chain, importer, timers, logger },
      peers: () => this.#peers.values(),
      ban: (peer, reason) => this.#ban(peer, reason),
    });
    this.#pushed = new PushedBlocks({
      ...{ chain, importer, logger },
      onImported: () => {
        this.#takesTransactions = true;
      },
      onGap: () => this.synchroniser.wake(),
      ban: (peer, reason) => this.#ban(peer, reason),
    });
    this.#missingSidecars =
      parts.sidecars &&
      new MissingSidecars({
        ...{ ...parts.sidecars, timers, logger },
        peers: () => this.#peers.values(),
        ban: (peer, reason) => this.#ban(peer, reason),
      });
    this.#intake = new TransactionIntake({
      ...{ pool, timers, logger },
      isIncluded: (key) => this.#included.has(key),
    });
    const { connectionType } = parts;
    this.#gossip = new TransactionGossip({
      ...{ pool, connectionType, timers },
      peers: () => this.#peers.values(),
    });
    this.#takesTransactions = connectionType === ConnectionType.cn;
    this.#unsubscribe = [
      chain.onHead((event) => this.#announce(event)),
      this.synchroniser.onChange((progress) => {
        if (progress === undefined) this.#takesTransactions = true;
      }),
    ];
  }

  /** Peers that are on the same chain. */
  get peers(): Iterable<ChainPeer> {
    return this.#peers.values();
  }

  /** Handles a new session. */
  async meet(session: PeerSession): Promise<void> {
    const { timers, served, logger, watch } = this.#parts;
    if (session.connectionType > ConnectionType.pn) {
      session.disconnect(DisconnectReason.subprotocolError);
      return;
    }
    try {
      const peer = await ChainPeer.meet(session, this.#status(), {
        ...{ timers, served, watch, events: this },
      });
      if (this.#parts.validators !== undefined && session.connectionType === ConnectionType.cn)
        this.#meetValidator(peer, this.#parts.validators);
      this.#peers.set(session, peer);
      void session.ended.then(() => this.#peers.delete(session));
      logger.debug("peer", {
        id: peer.id.slice(0, 16),
        name: session.hello.name.slice(0, 64),
        head: peer.headNumber,
      });
      this.#gossip.greet(peer);
      this.synchroniser.wake();
    } catch (error) {
      logger.debug("peer not taken", { reason: String((error as Error).message).slice(0, 200) });
    }
  }

  /** Stops downloads and unsubscribes from chain and pool. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#gossip.close();
    this.#missingSidecars?.close();
    await this.synchroniser.stop();
  }

  announced(peer: ChainPeer, blocks: MessageValue<"newBlockHashes">): void {
    const own = this.#parts.chain.tip.header.number;
    for (const { hash, number } of blocks) {
      peer.knownBlocks.add(bytesToHex(hash));
      if (number > own + MAX_DISTANCE && this.synchroniser.progress() === undefined && own > MAX_DISTANCE)
        continue;
      if (number > peer.headNumber) peer.head = { hash, totalBlockScore: number + 1n };
    }
    this.synchroniser.wake();
  }

  block(peer: ChainPeer, pushed: MessageValue<"newBlock">): Promise<void> {
    return this.#pushed.take(peer, pushed);
  }

  /** Between validators votes do not wait behind transactions, unless these are too many. */
  transactions(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> | undefined {
    if (!this.#takesTransactions) return undefined;
    const taken = this.#intake.take(peer, transactions);
    if (!this.#validators.has(peer)) return taken;
    const bytes = transactions.reduce((sum, tx) => sum + transactionSize(tx), 0);
    const waiting = this.#waiting.get(peer) ?? { bytes: 0 };
    this.#waiting.set(peer, waiting);
    waiting.bytes += bytes;
    const counted = taken.then(() => {
      waiting.bytes -= bytes;
    });
    return waiting.bytes > MAX_WAITING_BYTES ? counted : undefined;
  }

  consensus(peer: ChainPeer, message: MessageValue<"consensus">): void {
    const { validators } = this.#parts;
    if (validators === undefined) return;
    const validator = this.#validators.get(peer);
    if (validator === undefined) {
      if (peer.session.connectionType === ConnectionType.cn) return; // the handshake is not complete
      throw new PeerError("MESSAGE", "a vote from a node that is not a consensus node");
    }
    validators.receive(validator, message);
  }

  /** @throws PeerError for a consensus node without a seat */
  #meetValidator(peer: ChainPeer, side: ValidatorSide): void {
    const { session } = peer;
    const address = addressOfPublicKey(session.hello.id);
    if (!side.hasSeat(address)) {
      session.disconnect(DisconnectReason.subprotocolError);
      throw new PeerError("HANDSHAKE", "a consensus node without a seat");
    }
    const send = (message: PassedMessage) => peer.sendShared("consensus", this.#encoded(message));
    const validator: ValidatorPeer = { address, send };
    this.#validators.set(peer, validator);
    side.connected(validator);
    void session.ended.then(() => {
      this.#validators.delete(peer);
      side.gone(validator);
    });
  }

  /** Most of what is sent to one validator goes to the others as well, so its encoding is reused. */
  #encoded(message: PassedMessage): SharedPayload {
    if (this.#passed?.message !== message)
      this.#passed = { message, payload: encodeOnce("consensus", message) };
    return this.#passed.payload;
  }

  #status(): Status {
    const { chain, networkId } = this.#parts;
    const { header, hash } = chain.head;
    return {
      ...{ networkId, head: hash, genesis: chain.genesisHash, chainId: chain.config.chainId },
      totalBlockScore: header.number + 1n,
    };
  }

  /** Announces new blocks to peers: whole blocks to some, hashes to the others. */
  #announce({ added, removed }: HeadEvent): void {
    this.#missingSidecars?.left(removed);
    this.#missingSidecars?.joined(added);
    for (const { block: gone } of removed)
      for (const transaction of gone.transactions) this.#included.delete(transactionKey(transaction));
    const newest = added.slice(-1)[0];
    if (newest === undefined) return;
    const { hash, block } = newest;
    const { highestBlock = 0n } = this.synchroniser.progress() ?? {};
    if (block.header.number < highestBlock) return; // old to everybody else
    for (const { block: joined } of added)
      for (const transaction of joined.transactions) this.#included.add(transactionKey(transaction));
    const { number } = block.header;
    const announced = encodeOnce("newBlockHashes", [{ hash, number }]);
    let pushed: SharedPayload | undefined;
    const key = bytesToHex(hash);
    for (const peer of this.#unaware(key)) {
      peer.knownBlocks.add(key);
      if (this.#isPushedTo(peer)) {
        pushed ??= encodeOnce("newBlock", { block, totalBlockScore: number + 1n });
        peer.sendShared("newBlock", pushed);
      } else peer.sendShared("newBlockHashes", announced);
    }
  }

  /**
   * Whole blocks go between nodes of the same type, and from a proxy to its endpoints. Other validators have decided the block as this
   * one has: its hash is enough for them.
   */
  #isPushedTo(peer: ChainPeer): boolean {
    const { session } = peer;
    const own = this.#parts.connectionType;
    if (this.#validators.has(peer)) return false;
    if (own === ConnectionType.cn) return session.connectionType !== ConnectionType.en;
    return session.connectionType !== ConnectionType.cn;
  }

  *#unaware(hash: Hex): Iterable<ChainPeer> {
    for (const peer of this.#peers.values()) {
      if (!peer.knownBlocks.has(hash) && peer.session.unsent < MAX_UNSENT_BYTES) yield peer;
    }
  }

  #ban(peer: ChainPeer, reason: string): void {
    this.#parts.logger.warn("peer dropped", { peer: peer.id.slice(0, 16), reason: reason.slice(0, 200) });
    this.#parts.ban(peer.session);
  }
}
