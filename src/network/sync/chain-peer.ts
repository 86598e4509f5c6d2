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
import { KnownHashes } from "./known-hashes.ts";
import type { MessageWatch } from "./message-watch.ts";
import { answerTo, isRequest, type ServedChain } from "./serve.ts";

const STATUS_TIMEOUT_MS = 5_000;
/** Time limit of a request. */
const ANSWER_TIMEOUT_MS = 15_000;
/** Largest message of the chain protocol. */
const MAX_MESSAGE_BYTES = 12 << 20;
/** Hashes remembered per peer, first in, first out. */
const KNOWN = { transactions: 32_768, blocks: 1_024 };

/** Which message answers which. */
const ANSWER_OF = {
  headerFetch: "fetchedHeader",
  bodiesFetch: "fetchedBodies",
  headersRequest: "headers",
  bodiesRequest: "bodies",
  receiptsRequest: "receipts",
  sidecarsRequest: "sidecars",
} as const satisfies Partial<Record<MessageName, MessageName>>;

type Request = keyof typeof ANSWER_OF;
type AnswerValue<R extends Request> = MessageValue<(typeof ANSWER_OF)[R]>;

/** The status of a node's chain, exchanged on connecting. */
export type Status = Omit<MessageValue<"status">, "protocolVersion">;

/** Unsolicited messages of a peer. */
export interface PeerEvents {
  announced(peer: ChainPeer, blocks: MessageValue<"newBlockHashes">): void;
  block(peer: ChainPeer, block: MessageValue<"newBlock">): void | Promise<void>;
  transactions(peer: ChainPeer, transactions: MessageValue<"transactions">): void | Promise<void>;
  /** @throws what ends the session */
  consensus(peer: ChainPeer, message: MessageValue<"consensus">): void;
}

/** What a handshake needs. */
export interface MeetingParts {
  readonly timers: Timers;
  readonly served: ServedChain;
  readonly events: PeerEvents;
  /** Absent = messages are not counted. */
  readonly watch?: MessageWatch | undefined;
}

/** A peer that speaks the chain protocol. */
export class ChainPeer {
  readonly session: PeerSession;
  /** Of the chain protocol. */
  readonly version: number;
  readonly knownTransactions: KnownHashes = new KnownHashes(KNOWN.transactions);
  readonly knownBlocks: KnownHashes = new KnownHashes(KNOWN.blocks);
  /** Its latest announced block. */
  head: { hash: Hash; totalBlockScore: bigint };
  readonly #offset: number;
  readonly #parts: MeetingParts;
  readonly #waiting = new Map<MessageName, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #queues = new Map<Request, Promise<unknown>>();
  #isOver = false;

  private constructor(session: PeerSession, parts: MeetingParts) {
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
   * The handshake with a peer: both sides send their status at once.
   * @throws PeerError if it is on another chain or does not answer
   */
  static async meet(session: PeerSession, own: Status, parts: MeetingParts): Promise<ChainPeer> {
    const peer = new ChainPeer(session, parts);
    const status = peer.#next("status", STATUS_TIMEOUT_MS, DisconnectReason.readTimeout);
    session.start((code, payload) => peer.#take(code, payload));
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

  /** Identity in hexadecimal digits without 0x. */
  get id(): string {
    return bytesToHex(this.session.hello.id).slice(2);
  }

  /** Whether its session has ended. */
  get isOver(): boolean {
    return this.#isOver;
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
   * Sends a request. Requests have no ids, so only one of each kind is in flight and others wait.
   * @throws PeerError when no answer comes in time, or the session ends
   */
  request<R extends Request>(name: R, value: MessageValue<R>): Promise<AnswerValue<R>> {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const answer = before.then(() => {
      if (this.#isOver) throw gone();
      const next = this.#next(ANSWER_OF[name], ANSWER_TIMEOUT_MS, DisconnectReason.readTimeout);
      this.send(name, value);
      return next as Promise<AnswerValue<R>>;
    });
    this.#queues.set(
      name,
      answer.catch(() => {}),
    );
    return answer;
  }

  /** Messages larger than any peer accepts are not sent. */
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
        fail(new PeerError("MESSAGE", `no ${name} in time`, { reason, isInnocent: true }));
        this.session.disconnect(reason); // a late response would be mistaken for that of the next request
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

  async #take(code: number, payload: Uint8Array): Promise<void> {
    const { served, events, watch } = this.#parts;
    const name = messageName(code - this.#offset, this.version);
    if (name === undefined) throw new PeerError("MESSAGE", `unknown message ${code}`);
    watch?.received(name, payload.length);
    if (payload.length > MAX_MESSAGE_BYTES) throw new PeerError("MESSAGE", `${name} is too large`);
    const waiting = this.#waiting.get(name);
    if (this.#waiting.has("status") && name !== "status")
      throw new PeerError("MESSAGE", `${name} before status`);
    if (waiting === undefined && !isRequest(name) && !(name in UNASKED)) {
      throw new PeerError("MESSAGE", `${name} was not asked for`);
    }
    const codec = CHAIN_MESSAGES[name].codec as Codec<unknown>;
    const value = await decodeInSteps(codec, payload, this.session.pace);
    if (waiting !== undefined) {
      this.#waiting.delete(name);
      waiting.resolve(value);
    } else if (isRequest(name)) {
      const answer = await answerTo(served, name, value as never, this.session.pace);
      if (answer) this.#write(answer.name, new SharedPayload(answer.payload));
    } else {
      await UNASKED[name as keyof typeof UNASKED](events, this, value as never);
    }
  }

  /** @throws PeerError if the peer is on another chain */
  #check(theirs: MessageValue<"status">, own: Status): void {
    const differs = (what: string) => new PeerError("HANDSHAKE", `the peer has another ${what}`);
    if (theirs.protocolVersion !== BigInt(this.version)) throw differs("protocol version");
    if (theirs.networkId !== own.networkId) throw differs("network id");
    if (!equalBytes(theirs.genesis, own.genesis)) throw differs("genesis block");
    if (theirs.chainId !== own.chainId) throw differs("chain id");
    if (theirs.totalBlockScore > MAX_UINT64 + 1n) throw differs("idea of numbers");
    this.head = { hash: theirs.head, totalBlockScore: theirs.totalBlockScore };
  }

  #end(reason: number): void {
    this.#isOver = true;
    for (const { reject } of [...this.#waiting.values()]) reject(gone(reason));
  }
}

/** The payload of a message, encoded once for all peers that get it. */
export function encodeOnce<N extends MessageName>(name: N, value: MessageValue<N>): SharedPayload {
  // The table has the codec of each name, which indexing by a type parameter hides from the compiler.
  const codec = CHAIN_MESSAGES[name].codec as unknown as Codec<MessageValue<N>>;
  return new SharedPayload(codec.write(value));
}

/** Unsolicited messages. Bids are ignored by a node without auctions. */
const UNASKED = {
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

function gone(reason?: number): PeerError {
  return new PeerError("MESSAGE", "the peer is gone", { reason, isInnocent: true });
}
