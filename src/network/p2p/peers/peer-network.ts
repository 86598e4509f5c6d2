import type { ByteStream, Network, StreamListener } from "../../../platform/runtime/network.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { PeerError } from "../errors.ts";
import type { NodeUrl } from "../node-url.ts";
import { type OwnIdentity, openSession } from "../session/open-session.ts";
import type { PeerSession } from "../session/session.ts";
import type { Traffic } from "../session/traffic.ts";
import { DisconnectReason } from "../wire/disconnect.ts";
import { Bans } from "./bans.ts";
import { Dialer } from "./dialer.ts";

/** Connections that may be in the handshake at once, when the flag is 0. */
const DEFAULT_PENDING = 50;
/** One address may have this share of them: a quarter. */
const PENDING_SHARE = 4;

/** Connection limits. */
export interface PeerLimits {
  /** Peers in all; static and trusted ones count, and are not refused. */
  readonly maxConnections: number;
  /** Places of these that are kept for nodes that discovery finds: strangers who connect cannot have them all. Absent = 0. */
  readonly ownDials?: number | undefined;
  /** Connections in the handshake; 0 = 50. */
  readonly maxPending: number;
}

/** What the peer network is built from. */
export interface PeerNetworkParts {
  readonly own: OwnIdentity;
  readonly network: Network;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "randomness">;
  readonly limits: PeerLimits;
  readonly logger: Logger;
  /** Absent = not counted. */
  readonly traffic?: Traffic | undefined;
  /** Whether an address may connect and be dialled. */
  isAllowed(host: string): boolean;
  /** Called with each session that has said hello. */
  onSession(session: PeerSession): void;
}

/** The sessions of a node: those that others open and those that it opens itself. */
export class PeerNetwork {
  readonly #parts: PeerNetworkParts;
  readonly #sessions = new Map<string, PeerSession>();
  readonly #trusted = new Set<string>();
  readonly #bans: Bans;
  readonly #dialer: Dialer;
  /** Connections in the handshake that others have opened. */
  readonly #pending = new Set<ByteStream>();
  /** Nodes that are being dialled. */
  readonly #dialling = new Set<string>();
  readonly #ownKey: string;
  readonly #closing = new AbortController();
  #listener: StreamListener | undefined;

  constructor(parts: PeerNetworkParts) {
    this.#parts = parts;
    this.#ownKey = keyOf(publicKeyOf(parts.own.key));
    const { timers, clock } = parts.runtime;
    this.#bans = new Bans(() => clock.elapsed());
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

  /** Port on which others connect; undefined while nothing listens. */
  get port(): number | undefined {
    return this.#listener?.port;
  }

  /** The sessions of now. */
  get sessions(): Iterable<PeerSession> {
    return this.#sessions.values();
  }

  /** Whether there is no room for unnamed peers. */
  get isFull(): boolean {
    return this.#sessions.size >= this.#parts.limits.maxConnections;
  }

  /** Found nodes of a type, by the numbers of discovery, that are dialled or connected. */
  found(type: number): number {
    return this.#dialer.found(type);
  }

  /** Dials a node that discovery found, as long as there is room. */
  addFound(node: NodeUrl): void {
    if (!this.isFull && !this.#sessions.has(keyOf(node.id)) && !this.#bans.has(keyOf(node.id)))
      this.#dialer.addFound(node);
  }

  /** Whether an operator named a node as one to dial. */
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

  /** Keeps a connection to a node from now on. */
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

  /** Disconnects a node that lied and bans it for ten minutes. */
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
    if (this.#isClosed || !this.#parts.isAllowed(host) || this.#bans.hasHost(host) || !this.#hasRoom(host)) {
      stream.close(true);
      return;
    }
    this.#pending.add(stream);
    await this.#open(stream)
      .catch((error) => this.#note("refused a connection", host, error))
      .finally(() => this.#pending.delete(stream));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Whether one more connection from an address may begin its handshake. */
  #hasRoom(host: string): boolean {
    const most = this.#parts.limits.maxPending || DEFAULT_PENDING;
    if (this.#pending.size >= most) return false;
    const own = [...this.#pending].filter(({ remote }) => remote.host === host).length;
    return own < Math.max(1, Math.ceil(most / PENDING_SHARE));
  }

  /** @throws Error when no session comes of it */
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
    let isFirstLook = dialled === undefined;
    const session = await openSession({
      ...{ stream, own, runtime, traffic },
      ...(dialled && { dialled }),
      admit: (id) => {
        const crosses = isFirstLook && this.#ownDialGoesOn(id);
        isFirstLook = false;
        return crosses ? DisconnectReason.alreadyConnected : this.#refusal(id, dialled === undefined);
      },
    });
    const key = keyOf(session.hello.id);
    const refusal = this.#refusal(session.hello.id, dialled === undefined); // two may have been opened at the same time
    if (refusal !== undefined) {
      session.disconnect(refusal);
      throw new PeerError("HANDSHAKE", `refused with reason ${refusal}`, { reason: refusal });
    }
    this.#sessions.set(key, session);
    void session.ended.then(() => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      this.#dialer.ended(session.hello.id);
    });
    this.#parts.onSession(session);
  }

  /**
   * Whether a node connects while it is being dialled, and the own dial is the one that both go on with. Without a rule
   * each side would keep its own and refuse the other's; the dial of the lower identity wins, as seen from both sides.
   */
  #ownDialGoesOn(id: Uint8Array): boolean {
    return this.#dialling.has(keyOf(id)) && this.#ownKey < keyOf(id);
  }

  /** Why a node is refused. */
  #refusal(id: Uint8Array, isInbound: boolean): DisconnectReason | undefined {
    const key = keyOf(id);
    if (this.#isClosed) return DisconnectReason.clientQuitting;
    if (this.#bans.has(key)) return DisconnectReason.uselessPeer;
    if (this.#sessions.has(key)) return DisconnectReason.alreadyConnected;
    const isFree = !isInbound || this.#trusted.has(key) || this.#dialer.has(id);
    return !isFree && (this.isFull || this.#isFullOfInbound) ? DisconnectReason.tooManyPeers : undefined;
  }

  get #isFullOfInbound(): boolean {
    const { maxConnections, ownDials = 0 } = this.#parts.limits;
    if (ownDials === 0) return false;
    const inbound = [...this.#sessions.values()].filter((session) => session.isInbound).length;
    return inbound >= maxConnections - ownDials;
  }

  #note(what: string, host: string, error: unknown): void {
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200);
    this.#parts.logger.debug(what, { host, reason });
  }
}

function keyOf(id: Uint8Array): string {
  return bytesToHex(id);
}
