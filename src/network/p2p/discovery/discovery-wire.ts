import type { DatagramSocket, Datagrams, StreamAddress } from "../../../platform/runtime/network.ts";
import type { Clock, Timers } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import { relayFault } from "./address-rules.ts";
import { type FoundNode, foundNodeOf, neighborFault, neighborOf } from "./found-node.ts";
import { ipBytesOf } from "./ip-address.ts";
import { PacketLimits } from "./packet-limits.ts";
import { PacketTurns } from "./packet-turns.ts";
import {
  DISCOVERY_VERSION,
  type Endpoint,
  encodePacket,
  type FindNode,
  isReply,
  MAX_NEIGHBORS,
  MAX_PACKET_BYTES,
  type OpenedPacket,
  openPacket,
  type Packet,
  type Ping,
} from "./packets.ts";
import { PendingReplies } from "./pending-replies.ts";

/** Validity of a packet in seconds. */
const EXPIRATION_S = 20n;

/** Counters of packets. */
export interface PacketCounts {
  /** Packets that were processed. */
  taken: number;
  /** Malformed, of another network, unsolicited or expired. */
  refused: number;
  /** Beyond the rate limits. */
  dropped: number;
  sent: number;
}

/** Callbacks to the discovery. */
export interface WireEvents {
  /** Whether a node may be answered. */
  isAuthorized(id: Uint8Array, type: number): boolean;
  /** Whether the querying node has proven its endpoint. */
  isBonded(id: Uint8Array, host: string): boolean;
  /** Whether any known node has an address. */
  hasHost(host: string): boolean;
  /** Called with an unexpected PING. */
  pinged(node: FoundNode): void;
  /** The nodes to return. */
  answer(question: FindNode): readonly FoundNode[];
}

/** Dependencies of the wire. */
export interface WireParts {
  /** Private key of the node, 32 bytes. */
  readonly key: Uint8Array;
  readonly networkId: bigint;
  readonly type: NodeType;
  /** External IP address of the node; absent = as seen by others. */
  readonly externalHost?: string | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whether an IP address is allowed. */
  isAllowed(host: string): boolean;
  readonly events: WireEvents;
}

/** Sends and receives packets: queries other nodes, and answers those that have proven their endpoint. */
export class DiscoveryWire {
  readonly counts: PacketCounts = { taken: 0, refused: 0, dropped: 0, sent: 0 };
  readonly #parts: WireParts;
  readonly #pending: PendingReplies;
  readonly #limits: PacketLimits;
  readonly #turns: PacketTurns;
  #socket: DatagramSocket | undefined;
  #tcpPort = 0;

  constructor(parts: WireParts) {
    this.#parts = parts;
    this.#pending = new PendingReplies(parts.timers);
    this.#limits = new PacketLimits(() => parts.clock.elapsed());
    this.#turns = new PacketTurns(parts.timers);
  }

  /** UDP port of this node; 0 while none is open. */
  get port(): number {
    return this.#socket?.port ?? 0;
  }

  /** @param tcpPort - announced to others; 0 = the UDP port @throws Error of the system, such as a port in use */
  async open(datagrams: Datagrams, address: StreamAddress, tcpPort: number): Promise<void> {
    this.#socket = await datagrams.open(address, (bytes, from) => this.#receive(bytes, from));
    this.#tcpPort = tcpPort || this.#socket.port;
  }

  async close(): Promise<void> {
    this.#pending.close();
    this.#turns.close();
    const socket = this.#socket;
    this.#socket = undefined;
    await socket?.close();
  }

  /** Pings a node. @returns whether it answered within half a second */
  ping(node: FoundNode): Promise<boolean> {
    const hash = this.#send(node, {
      name: "ping",
      networkId: this.#parts.networkId,
      version: BigInt(DISCOVERY_VERSION),
      from: this.#own(),
      to: endpointAt({ host: node.host, port: node.udp }, 0, 0),
      expiration: this.#expiration(),
    });
    return this.#pending.wait("pong", node, ({ pingHash }) => Buffer.compare(pingHash, hash) === 0);
  }

  /** Waits half a second for a PING of a node. */
  async awaitPing(node: FoundNode): Promise<void> {
    await this.#pending.wait("ping", node, () => true);
  }

  /**
   * Sends a FINDNODE.
   * @param most - maximum nodes accepted
   * @returns the nodes received within half a second; undefined if there was no reply
   */
  async findNode(
    node: FoundNode,
    { target, type, most }: { readonly target: Uint8Array; readonly type: NodeType; readonly most: number },
  ): Promise<readonly FoundNode[] | undefined> {
    const found: FoundNode[] = [];
    let received: number | undefined;
    this.#send(node, { name: "findNode", target, type, expiration: this.#expiration() });
    await this.#pending.wait("neighbors", node, (answer) => {
      if (answer.type !== type) return false;
      for (const neighbor of answer.nodes.slice(0, most - (received ?? 0))) {
        received = (received ?? 0) + 1;
        const fault = neighborFault(neighbor, node.host, this.#parts.isAllowed);
        if (fault === undefined) found.push(foundNodeOf(neighbor));
      }
      received ??= 0;
      return received >= most;
    });
    return received === undefined ? undefined : found;
  }

  #receive(bytes: Uint8Array, from: StreamAddress): void {
    const { events, isAllowed } = this.#parts;
    const isAwaited = isReply(bytes) && this.#pending.hasHost(from.host);
    const isKnown = isAwaited || events.hasHost(from.host);
    if (!isAllowed(from.host) || !this.#limits.take(from.host, isKnown)) {
      this.counts.dropped++;
      return;
    }
    if (bytes.length > MAX_PACKET_BYTES) this.counts.refused++;
    else this.#turns.take(() => this.#open(bytes, from));
  }

  #open(bytes: Uint8Array, from: StreamAddress): void {
    try {
      const isTaken = this.#handle(openPacket(bytes), from);
      if (isTaken) this.counts.taken++;
      else this.counts.refused++;
    } catch {
      this.counts.refused++; // malformed, which is nothing unusual on an open port
    }
  }

  /** @returns whether the packet was accepted @throws PeerError if its signature is invalid */
  #handle(opened: OpenedPacket, from: StreamAddress): boolean {
    const { packet } = opened;
    if (packet.expiration * 1000n < BigInt(Math.trunc(this.#parts.clock.now()))) return false;
    switch (packet.name) {
      case "ping":
        return this.#handlePing(packet, opened, from);
      case "findNode":
        return this.#handleFindNode(packet, opened, from);
      case "pong":
      case "neighbors":
        // Cheaper than recovering the signer of an unsolicited packet.
        return (
          this.#pending.isAwaited(packet.name, from.host) &&
          this.#pending.take(packet, opened.sender(), from.host)
        );
    }
  }

  #handlePing(packet: Ping, opened: OpenedPacket, from: StreamAddress): boolean {
    if (packet.networkId !== this.#parts.networkId) return false;
    const id = opened.sender();
    const { tcp, type } = packet.from;
    const node = { id, host: from.host, udp: from.port, tcp, type };
    if (!this.#parts.events.isAuthorized(id, node.type)) return false;
    const to = endpointAt(from, tcp, type);
    this.#send(node, { name: "pong", to, pingHash: opened.hash, expiration: this.#expiration() });
    if (!this.#pending.take(packet, id, from.host)) this.#parts.events.pinged(node);
    return true;
  }

  /**
   * Ignores nodes that have not proven their endpoint: responses are far longer than queries, which would allow amplification attacks.
   */
  #handleFindNode(question: FindNode, opened: OpenedPacket, from: StreamAddress): boolean {
    const { events } = this.#parts;
    if (!events.hasHost(from.host)) return false;
    const id = opened.sender();
    if (!events.isBonded(id, from.host)) return false;
    const nodes = events.answer(question).filter(({ host }) => relayFault(from.host, host) === undefined);
    for (let i = 0; i === 0 || i < nodes.length; i += MAX_NEIGHBORS) {
      this.#send(
        { host: from.host, udp: from.port },
        {
          name: "neighbors",
          type: question.type,
          nodes: nodes.slice(i, i + MAX_NEIGHBORS).map(neighborOf),
          expiration: this.#expiration(),
        },
      );
    }
    return true;
  }

  /** @returns the packet's hash */
  #send({ host, udp }: Pick<FoundNode, "host" | "udp">, packet: Packet): Uint8Array {
    const { bytes, hash } = encodePacket(packet, this.#parts.key);
    this.#socket?.send(bytes, { host, port: udp });
    this.counts.sent++;
    return hash;
  }

  #own(): Endpoint {
    const { externalHost = "::", type } = this.#parts;
    return endpointAt({ host: externalHost, port: this.port }, this.#tcpPort, type);
  }

  #expiration(): bigint {
    return BigInt(Math.trunc(this.#parts.clock.now() / 1000)) + EXPIRATION_S;
  }
}

function endpointAt({ host, port }: StreamAddress, tcp: number, type: number): Endpoint {
  return { ip: ipBytesOf(host), udp: port, tcp, type };
}
