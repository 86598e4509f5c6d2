import type { ByteStream, Network, StreamListener } from "../../../platform/runtime/network.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import { SharedBytes } from "../../../platform/runtime/shared-bytes.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { keyOf } from "../discovery/found-node.ts";
import { PeerError } from "../errors.ts";
import type { NodeUrl } from "../node-url.ts";
import { type OwnIdentity, openSession } from "../session/open-session.ts";
import type { PeerSession } from "../session/session.ts";
import type { Traffic } from "../session/traffic.ts";
import { DisconnectReason } from "../wire/disconnect.ts";
import { Bans } from "./bans.ts";
import { Dialer } from "./dialer.ts";
import { displaceable } from "./inbound-slots.ts";
import { PendingConnections } from "./pending-connections.ts";

/** Bytes of incomplete, waiting and handled messages of all peers together. */
const MAX_RECEIVED = 256 << 20;

/** Connection limits. */
export interface PeerLimits {
  /** Maximum peers; static and trusted ones are counted, but never refused. */
  readonly maxConnections: number;
  /** Slots reserved for discovered nodes that this node dials: inbound peers cannot take them all. Absent = 0. */
  readonly reservedForDials?: number | undefined;
  /** Maximum connections in the handshake; 0 = 50. */
  readonly maxPending: number;
}

/** Dependencies of the peer network. */
export interface PeerNetworkParts {
  readonly own: OwnIdentity;
  readonly network: Network;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "randomness">;
  readonly limits: PeerLimits;
  readonly logger: Logger;
  /** Absent = not counted. */
  readonly traffic?: Traffic | undefined;
  /** Whether an address may connect or be dialled. */
  isAllowed(host: string): boolean;
  /** Called with each new session, after the hello exchange. */
  onSession(session: PeerSession): void;
}

/** Manages the sessions of a node, inbound and outbound. */
export class PeerNetwork {
  readonly #parts: PeerNetworkParts;
  readonly #sessions = new Map<string, PeerSession>();
  readonly #trusted = new Set<string>();
  readonly #bans: Bans;
  readonly #dialer: Dialer;
  /** Inbound connections in the handshake. */
  readonly #pending: PendingConnections;
  /** Each peer may have 32 MiB of them. */
  readonly #received = new SharedBytes(MAX_RECEIVED);
  /** Nodes being dialled. */
  readonly #dialling = new Set<string>();
  readonly #ownKey: string;
  readonly #closing = new AbortController();
  #listener: StreamListener | undefined;

  constructor(parts: PeerNetworkParts) {
    this.#parts = parts;
    this.#ownKey = keyOf(publicKeyOf(parts.own.key));
    const { timers, clock } = parts.runtime;
    this.#bans = new Bans(() => clock.elapsed());
    this.#pending = new PendingConnections(parts.limits.maxPending, () => clock.elapsed());
    this.#dialer = new Dialer({
      ...{ timers, clock },
      dial: (node) => this.#dial(node),
      isWanted: ({ id, host }, isFound) =>
        host !== undefined &&
        !this.#sessions.has(keyOf(id)) &&
        !this.#bans.has(keyOf(id)) &&
        !this.#isClosed &&
        !(isFound && this.isFull),
    });
  }

  /** Listening port; undefined if there is none. */
  get port(): number | undefined {
    return this.#listener?.port;
  }

  /** The current sessions. */
  get sessions(): Iterable<PeerSession> {
    return this.#sessions.values();
  }

  /** Whether all slots are taken. */
  get isFull(): boolean {
    return this.#sessions.size >= this.#parts.limits.maxConnections;
  }

  /** Number of discovered nodes of a `NodeType` that are dialled or connected. */
  found(type: number): number {
    return this.#dialer.found(type);
  }

  /** Dials a discovered node if there is a free slot. */
  addFound(node: NodeUrl): void {
    if (!this.isFull && !this.#sessions.has(keyOf(node.id)) && !this.#bans.has(keyOf(node.id)))
      this.#dialer.addFound(node);
  }

  /** Whether a node is static. */
  isStatic(id: Uint8Array): boolean {
    return this.#dialer.has(id);
  }

  /** Whether a node may connect beyond the limit. */
  isTrusted(id: Uint8Array): boolean {
    return this.#trusted.has(keyOf(id));
  }

  /** Starts accepting connections. @throws Error of the system, as when the port is taken */
  async listen(host: string, port: number): Promise<void> {
    this.#listener = await this.#parts.network.listen({ host, port }, (stream) => void this.#accept(stream));
  }

  /** Adds a static node, to which a connection is maintained. */
  add(node: NodeUrl): void {
    this.#dialer.add(node);
  }

  /** Lets a node connect beyond the limit. */
  trust(node: NodeUrl): void {
    this.#trusted.add(keyOf(node.id));
  }

  /** Disconnects a node and stops dialling it. */
  remove(id: Uint8Array): void {
    this.#dialer.remove(id);
    this.#sessions.get(keyOf(id))?.disconnect(DisconnectReason.requested);
  }

  /** Disconnects a misbehaving node and bans it for ten minutes. */
  ban(session: PeerSession): void {
    this.#bans.add(keyOf(session.hello.id), session.stream.remote.host);
    session.disconnect(DisconnectReason.uselessPeer);
  }

  /** Ends all sessions and accepts no new ones. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const stream of this.#pending) stream.close(true);
    this.#dialer.close();
    for (const session of this.#sessions.values()) session.disconnect(DisconnectReason.clientQuitting);
    await this.#listener?.close();
  }

  async #accept(stream: ByteStream): Promise<void> {
    const { host } = stream.remote;
    if (
      this.#isClosed ||
      !this.#parts.isAllowed(host) ||
      this.#bans.hasHost(host) ||
      !this.#pending.enter(stream)
    ) {
      stream.close(true);
      return;
    }
    await this.#open(stream)
      .catch((error) => this.#record("connection refused", host, error))
      .finally(() => this.#pending.leave(stream));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** @throws Error if no session can be opened */
  async #dial({ id, host = "", tcp }: NodeUrl): Promise<void> {
    if (!this.#parts.isAllowed(host))
      throw new PeerError("NODE_URL", `${host} is outside the allowed networks`);
    this.#dialling.add(keyOf(id));
    try {
      const stream = await this.#parts.network.connect({ host, port: tcp }, 15_000, this.#closing.signal);
      await this.#open(stream, id);
    } finally {
      this.#dialling.delete(keyOf(id));
    }
  }

  async #open(stream: ByteStream, dialled?: Uint8Array): Promise<void> {
    const { own, runtime, traffic } = this.#parts;
    let isFirstCheck = dialled === undefined;
    const newcomer = dialled === undefined ? stream.remote.host : undefined;
    const session = await openSession({
      ...{ stream, own, runtime, traffic, received: this.#received },
      ...(dialled && { dialled }),
      admit: (id) => {
        const isDuplicate = isFirstCheck && this.#ownDialWins(id);
        isFirstCheck = false;
        return isDuplicate ? DisconnectReason.alreadyConnected : this.#refusal(id, newcomer);
      },
    });
    const key = keyOf(session.hello.id);
    const refusal = this.#refusal(session.hello.id, newcomer); // two may have been opened simultaneously
    if (refusal !== undefined) {
      session.disconnect(refusal);
      throw new PeerError("HANDSHAKE", `refused with reason ${refusal}`, { reason: refusal });
    }
    if (newcomer !== undefined && !this.#isExempt(session.hello.id) && this.#hasNoSlot)
      this.#displaceable(newcomer)?.disconnect(DisconnectReason.tooManyPeers);
    this.#sessions.set(key, session);
    void session.ended.then(() => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      this.#dialer.ended(session.hello.id);
    });
    this.#parts.onSession(session);
  }

  /**
   * Whether an inbound connection is redundant because this node is dialling the same peer, and its own dial wins. In a simultaneous dial
   * the one of the lower id wins; without a rule each side would keep its own and refuse the other's.
   */
  #ownDialWins(id: Uint8Array): boolean {
    return this.#dialling.has(keyOf(id)) && this.#ownKey < keyOf(id);
  }

  /** Why a node is refused; undefined if it is not. @param newcomer - its address if it is inbound */
  #refusal(id: Uint8Array, newcomer: string | undefined): DisconnectReason | undefined {
    const key = keyOf(id);
    if (this.#isClosed) return DisconnectReason.clientQuitting;
    if (this.#bans.has(key)) return DisconnectReason.uselessPeer;
    if (this.#sessions.has(key)) return DisconnectReason.alreadyConnected;
    if (newcomer === undefined || this.#isExempt(id) || !this.#hasNoSlot) return undefined;
    return this.#displaceable(newcomer) === undefined ? DisconnectReason.tooManyPeers : undefined;
  }

  /** Whether a node is accepted beyond the limits. */
  #isExempt(id: Uint8Array): boolean {
    return this.isTrusted(id) || this.#dialer.has(id);
  }

  /** Whether there is no slot for an inbound peer. */
  get #hasNoSlot(): boolean {
    return this.isFull || this.#isFullOfInbound;
  }

  /** The peer whose slot a newcomer at an address would get. */
  #displaceable(newcomer: string): PeerSession | undefined {
    const strangers = [...this.#sessions.values()].filter(
      ({ isInbound, hello }) => isInbound && !this.#isExempt(hello.id),
    );
    return displaceable(strangers, this.#parts.limits.maxConnections, newcomer);
  }

  get #isFullOfInbound(): boolean {
    const { maxConnections, reservedForDials = 0 } = this.#parts.limits;
    if (reservedForDials === 0) return false;
    const inbound = [...this.#sessions.values()].filter((session) => session.isInbound).length;
    return inbound >= maxConnections - reservedForDials;
  }

  #record(what: string, host: string, error: unknown): void {
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200);
    this.#parts.logger.debug(what, { host, reason });
  }
}
