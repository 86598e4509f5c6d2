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
import type { RawConsensusMessage, ValidatorPeer } from "../consensus/istanbul/engine/validator-peer.ts";
import { PeerError } from "../p2p/errors.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import type { MessageValue } from "../protocol/chain-messages.ts";
import { memoryOf, type PushedClaim } from "../protocol/parts.ts";
import { ChainPeer, encodeOnce, type PeerEvents, type Status } from "./chain-peer.ts";
import { KnownHashes } from "./known-hashes.ts";
import type { MessageWatch } from "./message-watch.ts";
import { MissingSidecars, type MissingSidecarsParts } from "./missing-sidecars.ts";
import { PushedBlocks } from "./pushed-blocks.ts";
import type { ServedChain } from "./serve.ts";
import { Synchroniser } from "./synchroniser.ts";
import { TransactionGossip } from "./transaction-gossip.ts";
import { TransactionIntake } from "./transaction-intake.ts";

/** Maximum distance of an announced block from the local head. */
const MAX_DISTANCE = 640n;
/** Memory of a validator's transactions that may be queued while its votes are still read: some 50,000 transfers. */
const MAX_QUEUED_BYTES = 64 << 20;
/** Number of recently included transactions remembered, since peers keep sending them for a while. */
const MAX_INCLUDED = 32_768;
/** A peer with this many unsent bytes gets no announcements. */
const MAX_UNSENT_BYTES = 4 << 20;

/** The consensus engine of a consensus node, as the network uses it. */
export interface ValidatorEngine {
  /** Whether an address is in the council of the next block; other consensus nodes are not accepted as peers. */
  hasSeat(address: Address): boolean;
  connected(peer: ValidatorPeer): void;
  disconnected(peer: ValidatorPeer): void;
  /** @throws NodeError if no honest node would have sent it */
  receive(peer: ValidatorPeer, message: RawConsensusMessage): void;
}

/** Dependencies of the chain network. */
export interface ChainNetworkParts {
  readonly chain: Blockchain;
  readonly importer: BlockImporter;
  readonly pool: Pick<TransactionPool, "addAll" | "onPending" | "content">;
  readonly served: ServedChain;
  readonly networkId: bigint;
  /** Present on a consensus node. */
  readonly validators?: ValidatorEngine | undefined;
  /** Connection type of this node. */
  readonly connectionType: number;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Absent = messages are not counted. */
  readonly watch?: MessageWatch | undefined;
  /** The blob sidecars and their verifier. Absent = none are requested. */
  readonly sidecars?: Pick<MissingSidecarsParts, "table" | "verifier" | "clock"> | undefined;
  /** Disconnects and bans a misbehaving peer. */
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
  /** Queued transactions of other validators. */
  readonly #queued = new WeakMap<ChainPeer, { bytes: number }>();
  readonly #missingSidecars: MissingSidecars | undefined;
  /** Transactions of recent blocks. */
  readonly #included = new KnownHashes(MAX_INCLUDED);
  readonly #pushed: PushedBlocks;
  readonly #gossip: TransactionGossip;
  /** The latest message to validators, with its encoding. */
  #lastEncoded: { readonly message: RawConsensusMessage; readonly payload: SharedPayload } | undefined;
  readonly #unsubscribe: (() => void)[];
  /** Whether transactions are accepted: once the chain is synchronised, or on a consensus node. */
  #acceptsTransactions: boolean;

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
        this.#acceptsTransactions = true;
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
    this.#acceptsTransactions = connectionType === ConnectionType.cn;
    this.#unsubscribe = [
      chain.onHead((event) => this.#announce(event)),
      this.synchroniser.onChange((progress) => {
        if (progress === undefined) this.#acceptsTransactions = true;
      }),
    ];
  }

  /** Peers that completed the handshake. */
  get peers(): Iterable<ChainPeer> {
    return this.#peers.values();
  }

  /** Performs the handshake on a new session, and adds the peer. */
  async addSession(session: PeerSession): Promise<void> {
    const { timers, served, logger, watch } = this.#parts;
    if (session.connectionType > ConnectionType.pn) {
      session.disconnect(DisconnectReason.subprotocolError);
      return;
    }
    try {
      const peer = await ChainPeer.handshake(session, this.#status(), {
        ...{ timers, served, watch, events: this },
      });
      if (this.#parts.validators !== undefined && session.connectionType === ConnectionType.cn)
        this.#addValidator(peer, this.#parts.validators);
      this.#peers.set(session, peer);
      void session.ended.then(() => this.#peers.delete(session));
      logger.debug("peer", {
        id: peer.id.slice(0, 16),
        name: session.hello.name.slice(0, 64),
        head: peer.headNumber,
      });
      this.#gossip.sendPendingTo(peer);
      this.synchroniser.wake();
    } catch (error) {
      logger.debug("peer rejected", { reason: String((error as Error).message).slice(0, 200) });
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

  wants(peer: ChainPeer, claim: PushedClaim): boolean {
    return this.#pushed.wants(peer, claim);
  }

  block(peer: ChainPeer, pushed: MessageValue<"newBlock">): Promise<void> {
    return this.#pushed.take(peer, pushed);
  }

  /** Votes of a validator are not delayed by its queued transactions, unless these are too many: then backpressure applies. */
  transactions(peer: ChainPeer, transactions: readonly Transaction[]): Promise<void> | undefined {
    if (!this.#acceptsTransactions) return undefined;
    const taken = this.#intake.take(peer, transactions);
    if (!this.#validators.has(peer)) return taken;
    const bytes = transactions.reduce((sum, tx) => sum + transactionSize(tx) + memoryOf(tx), 0);
    const queued = this.#queued.get(peer) ?? { bytes: 0 };
    this.#queued.set(peer, queued);
    queued.bytes += bytes;
    const counted = taken.then(() => {
      queued.bytes -= bytes;
    });
    return queued.bytes > MAX_QUEUED_BYTES ? counted : undefined;
  }

  consensus(peer: ChainPeer, message: MessageValue<"consensus">): void {
    const { validators } = this.#parts;
    if (validators === undefined) return;
    const validator = this.#validators.get(peer);
    if (validator === undefined) {
      if (peer.session.connectionType === ConnectionType.cn) return; // its handshake is not complete yet
      throw new PeerError("MESSAGE", "a vote from a node that is not a consensus node");
    }
    validators.receive(validator, message);
  }

  /** @throws PeerError for a consensus node that is not in the council */
  #addValidator(peer: ChainPeer, side: ValidatorEngine): void {
    const { session } = peer;
    const address = addressOfPublicKey(session.hello.id);
    if (!side.hasSeat(address)) {
      session.disconnect(DisconnectReason.subprotocolError);
      throw new PeerError("HANDSHAKE", "a consensus node without a seat");
    }
    const send = (message: RawConsensusMessage) => peer.sendShared("consensus", this.#encoded(message));
    const validator: ValidatorPeer = { address, send };
    this.#validators.set(peer, validator);
    side.connected(validator);
    void session.ended.then(() => {
      this.#validators.delete(peer);
      side.disconnected(validator);
    });
  }

  /** Most messages go to several validators, so the latest encoding is reused. */
  #encoded(message: RawConsensusMessage): SharedPayload {
    if (this.#lastEncoded?.message !== message)
      this.#lastEncoded = { message, payload: encodeOnce("consensus", message) };
    return this.#lastEncoded.payload;
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
    if (block.header.number < highestBlock) return; // still syncing: old news to everybody else
    for (const { block: joined } of added)
      for (const transaction of joined.transactions) this.#included.add(transactionKey(transaction));
    const { number } = block.header;
    const announced = encodeOnce("newBlockHashes", [{ hash, number }]);
    let pushed: SharedPayload | undefined;
    const key = bytesToHex(hash);
    for (const peer of this.#peersWithout(key)) {
      peer.knownBlocks.add(key);
      if (this.#getsWholeBlocks(peer)) {
        pushed ??= encodeOnce("newBlock", { block, totalBlockScore: number + 1n });
        peer.sendShared("newBlock", pushed);
      } else peer.sendShared("newBlockHashes", announced);
    }
  }

  /**
   * Whole blocks are sent to nodes of the same type, and by a proxy to its endpoints. Other validators have decided the block
   * themselves: they only need its hash.
   */
  #getsWholeBlocks(peer: ChainPeer): boolean {
    const { session } = peer;
    const own = this.#parts.connectionType;
    if (this.#validators.has(peer)) return false;
    if (own === ConnectionType.cn) return session.connectionType !== ConnectionType.en;
    return session.connectionType !== ConnectionType.cn;
  }

  *#peersWithout(hash: Hex): Iterable<ChainPeer> {
    for (const peer of this.#peers.values()) {
      if (!peer.knownBlocks.has(hash) && peer.session.unsent < MAX_UNSENT_BYTES) yield peer;
    }
  }

  #ban(peer: ChainPeer, reason: string): void {
    this.#parts.logger.warn("peer dropped", { peer: peer.id.slice(0, 16), reason: reason.slice(0, 200) });
    this.#parts.ban(peer.session);
  }
}
