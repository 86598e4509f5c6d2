import type { Timers } from "../../platform/runtime/runtime.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../protocol/primitives/integers.ts";
import { PeerError } from "../p2p/errors.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import { SharedPayload } from "../p2p/wire/message.ts";
import {
  CHAIN_MESSAGES,
  type MessageName,
  type MessageValue,
  messageName,
} from "../protocol/chain-messages.ts";
import { type Codec, decodeInSteps } from "../protocol/codec.ts";
import { type PushedClaim, pushedClaim } from "../protocol/parts.ts";
import { KnownHashes } from "./known-hashes.ts";
import type { MessageWatch } from "./message-watch.ts";
import { isRequest, respondTo, type ServedChain } from "./serve.ts";

const STATUS_TIMEOUT_MS = 5_000;
/** Timeout of a request. */
const RESPONSE_TIMEOUT_MS = 15_000;
/** Largest message of the chain protocol. */
const MAX_MESSAGE_BYTES = 12 << 20;
/** Hashes remembered per peer, evicted first in, first out. */
const MAX_KNOWN = { transactions: 32_768, blocks: 1_024 };

/** The response to each request. */
const RESPONSE_OF = {
  headerFetch: "fetchedHeader",
  bodiesFetch: "fetchedBodies",
  headersRequest: "headers",
  bodiesRequest: "bodies",
  receiptsRequest: "receipts",
  sidecarsRequest: "sidecars",
} as const satisfies Partial<Record<MessageName, MessageName>>;

type Request = keyof typeof RESPONSE_OF;
type ResponseValue<R extends Request> = MessageValue<(typeof RESPONSE_OF)[R]>;

/** The status message, exchanged in the handshake. */
export type Status = Omit<MessageValue<"status">, "protocolVersion">;

/** Unsolicited messages of a peer. */
export interface PeerEvents {
  announced(peer: ChainPeer, blocks: MessageValue<"newBlockHashes">): void;
  /** Whether to decode the transactions of a block: any peer may send any number of blocks that nobody can use. */
  wants(peer: ChainPeer, claim: PushedClaim): boolean;
  block(peer: ChainPeer, block: MessageValue<"newBlock">): void | Promise<void>;
  transactions(peer: ChainPeer, transactions: MessageValue<"transactions">): void | Promise<void>;
  /** An error thrown here ends the session. */
  consensus(peer: ChainPeer, message: MessageValue<"consensus">): void;
}

/** Dependencies of a peer. */
export interface HandshakeParts {
  readonly timers: Timers;
  readonly served: ServedChain;
  readonly events: PeerEvents;
  /** Absent = messages are not counted. */
  readonly watch?: MessageWatch | undefined;
}

/** A peer that speaks the chain protocol. */
export class ChainPeer {
  readonly session: PeerSession;
  /** Negotiated version of the chain protocol. */
  readonly version: number;
  readonly knownTransactions: KnownHashes = new KnownHashes(MAX_KNOWN.transactions);
  readonly knownBlocks: KnownHashes = new KnownHashes(MAX_KNOWN.blocks);
  /** The latest block that it has announced. */
  head: { hash: Hash; totalBlockScore: bigint };
  readonly #offset: number;
  readonly #parts: HandshakeParts;
  readonly #waiting = new Map<MessageName, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #queues = new Map<Request, Promise<unknown>>();
  #hasEnded = false;

  private constructor(session: PeerSession, parts: HandshakeParts) {
    const shared = session.shared.find(({ name }) => name === "istanbul");
    if (shared === undefined) throw new PeerError("HANDSHAKE", "no chain protocol in common");
    this.session = session;
    this.version = shared.version;
    this.#offset = shared.offset;
    this.#parts = parts;
    this.head = { hash: new Uint8Array(32), totalBlockScore: 0n };
    void session.ended.then((reason) => this.#end(reason));
  }

  /**
   * The handshake of the chain protocol: both sides send their status immediately.
   * @throws PeerError if the peer is on another chain or does not respond
   */
  static async handshake(session: PeerSession, own: Status, parts: HandshakeParts): Promise<ChainPeer> {
    const peer = new ChainPeer(session, parts);
    const status = peer.#next("status", STATUS_TIMEOUT_MS, DisconnectReason.readTimeout);
    session.start((code, payload) => peer.#receive(code, payload));
    peer.send("status", { protocolVersion: BigInt(peer.version), ...own });
    try {
      peer.#check((await status) as MessageValue<"status">, own);
    } catch (error) {
      const { reason } = (error as PeerError).details as { reason?: number };
      session.disconnect(reason ?? DisconnectReason.subprotocolError);
      throw error;
    }
    return peer;
  }

  /** Node ID in hexadecimal without 0x. */
  get id(): string {
    return bytesToHex(this.session.hello.id).slice(2);
  }

  /** Whether its session has ended. */
  get isOver(): boolean {
    return this.#hasEnded;
  }

  /** Number of its newest block: each block has a score of 1. */
  get headNumber(): bigint {
    return this.head.totalBlockScore - 1n;
  }

  /** Sends a message without a response. */
  send<N extends MessageName>(name: N, value: MessageValue<N>): void {
    this.sendShared(name, encodeOnce(name, value));
  }

  /** Sends a message without a response, with a payload shared by several peers. */
  sendShared(name: MessageName, payload: SharedPayload): void {
    if (CHAIN_MESSAGES[name].since <= this.version) this.#write(name, payload);
  }

  /**
   * Sends a request. Requests have no ids, so only one of each kind is in flight, and further ones are queued.
   * @throws PeerError when it times out, or the session ends
   */
  request<R extends Request>(name: R, value: MessageValue<R>): Promise<ResponseValue<R>> {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const response = before.then(() => {
      if (this.#hasEnded) throw disconnected();
      const next = this.#next(RESPONSE_OF[name], RESPONSE_TIMEOUT_MS, DisconnectReason.readTimeout);
      this.send(name, value);
      return next as Promise<ResponseValue<R>>;
    });
    this.#queues.set(
      name,
      response.catch(() => {}),
    );
    return response;
  }

  /** Drops messages larger than any peer accepts. */
  #write(name: MessageName, payload: SharedPayload): void {
    const { length } = payload.bytes;
    if (length > MAX_MESSAGE_BYTES) return;
    this.#parts.watch?.sent(name, length);
    this.session.send(this.#offset + CHAIN_MESSAGES[name].code, payload);
  }

  /** The next message of the given name. */
  #next(name: MessageName, timeoutMs: number, reason: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        this.#waiting.delete(name);
        reject(error);
      };
      const late = this.#parts.timers.schedule(timeoutMs, () => {
        fail(new PeerError("MESSAGE", `timeout waiting for ${name}`, { reason, isInnocent: true }));
        this.session.disconnect(reason); // a late response would be mistaken for the response to the next request
      });
      this.#waiting.set(name, {
        resolve(value) {
          late();
          resolve(value);
        },
        reject(error) {
          late();
          fail(error);
        },
      });
    });
  }

  async #receive(code: number, payload: Uint8Array): Promise<void> {
    const { served, events, watch } = this.#parts;
    const name = messageName(code - this.#offset, this.version);
    if (name === undefined) throw new PeerError("MESSAGE", `unknown message ${code}`);
    watch?.received(name, payload.length);
    if (payload.length > MAX_MESSAGE_BYTES) throw new PeerError("MESSAGE", `${name} is too large`);
    const waiting = this.#waiting.get(name);
    if (this.#waiting.has("status") && name !== "status")
      throw new PeerError("MESSAGE", `${name} before status`);
    if (waiting === undefined && !isRequest(name) && !(name in UNSOLICITED)) {
      throw new PeerError("MESSAGE", `unsolicited ${name}`);
    }
    const codec = CHAIN_MESSAGES[name].codec as Codec<unknown>;
    if (name === "newBlock" && !events.wants(this, pushedClaim(payload))) return;
    const value = await decodeInSteps(codec, payload, this.session.pace, (bytes) =>
      this.session.holds(bytes),
    );
    // The codec of the name has decoded it, which the compiler cannot relate to the handler of the name.
    if (waiting !== undefined) {
      this.#waiting.delete(name);
      waiting.resolve(value);
    } else if (isRequest(name)) {
      const response = await respondTo(served, name, value as never, this.session.pace);
      if (response) this.#write(response.name, new SharedPayload(response.payload));
    } else {
      await UNSOLICITED[name as keyof typeof UNSOLICITED](events, this, value as never);
    }
  }

  /** @throws PeerError if the peer is on another chain */
  #check(theirs: MessageValue<"status">, own: Status): void {
    const differs = (what: string) => new PeerError("HANDSHAKE", `the peer has another ${what}`);
    if (theirs.protocolVersion !== BigInt(this.version)) throw differs("protocol version");
    if (theirs.networkId !== own.networkId) throw differs("network id");
    if (!equalBytes(theirs.genesis, own.genesis)) throw differs("genesis block");
    if (theirs.chainId !== own.chainId) throw differs("chain id");
    if (theirs.totalBlockScore > MAX_UINT64 + 1n)
      throw new PeerError("HANDSHAKE", "the peer's total block score is out of range");
    this.head = { hash: theirs.head, totalBlockScore: theirs.totalBlockScore };
  }

  #end(reason: number): void {
    this.#hasEnded = true;
    for (const { reject } of [...this.#waiting.values()]) reject(disconnected(reason));
  }
}

/** Encodes a message once for all its recipients. */
export function encodeOnce<N extends MessageName>(name: N, value: MessageValue<N>): SharedPayload {
  // The compiler cannot relate the codec to the type parameter of the name.
  const codec = CHAIN_MESSAGES[name].codec as unknown as Codec<MessageValue<N>>;
  return new SharedPayload(codec.write(value));
}

/** Handlers of unsolicited messages. Bids are ignored: this node takes no part in auctions. */
const UNSOLICITED = {
  newBlockHashes: (events: PeerEvents, peer: ChainPeer, value: MessageValue<"newBlockHashes">) =>
    events.announced(peer, value),
  newBlock: (events: PeerEvents, peer: ChainPeer, value: MessageValue<"newBlock">) =>
    events.block(peer, value),
  transactions: (events: PeerEvents, peer: ChainPeer, value: MessageValue<"transactions">) =>
    events.transactions(peer, value),
  consensus: (events: PeerEvents, peer: ChainPeer, value: MessageValue<"consensus">) =>
    events.consensus(peer, value),
  bid: () => {},
};

function disconnected(reason?: number): PeerError {
  return new PeerError("MESSAGE", "the peer has disconnected", { reason, isInnocent: true });
}
