import type { DatagramSocket, Datagrams, StreamAddress } from "../../../platform/runtime/network.ts";
import type { Clock, Timers } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import { relayFault } from "./address-rules.ts";
import { AwaitedPackets } from "./awaited.ts";
import { type FoundNode, foundNodeOf, neighborFault, neighborOf } from "./found-node.ts";
import { ipBytesOf } from "./ip-address.ts";
import { PacketLimits } from "./packet-limits.ts";
import {
  DISCOVERY_VERSION,
  type Endpoint,
  encodePacket,
  type FindNode,
  isAnswer,
  MAX_NEIGHBORS,
  type OpenedPacket,
  openPacket,
  type Packet,
  type Ping,
} from "./packets.ts";

/** Validity of a packet in seconds. */
const LIFE_S = 20n;

/** Counters of packets. */
export interface PacketCounts {
  /** Packets that were read and acted on. */
  taken: number;
  /** Damaged, of another network, unasked for, expired. */
  refused: number;
  /** Beyond the limits. */
  dropped: number;
  sent: number;
}

/** Decisions made above the wire. */
export interface WireEvents {
  /** Whether a node is one that may be answered. */
  isAuthorized(id: Uint8Array, type: number): boolean;
  /** Whether the querying node has proven its address. */
  isBonded(id: Uint8Array, host: string): boolean;
  /** Whether some node is known at an address. */
  hasHost(host: string): boolean;
  /** Called with an unexpected PING. */
  pinged(node: FoundNode): void;
  /** The nodes to return. */
  answer(question: FindNode): readonly FoundNode[];
}

/** Settings for creating and judging packets. */
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

/** The packets of a node: queries others, and answers them once they have proven their address. */
export class DiscoveryWire {
  readonly counts: PacketCounts = { taken: 0, refused: 0, dropped: 0, sent: 0 };
  readonly #parts: WireParts;
  readonly #awaited: AwaitedPackets;
  readonly #limits: PacketLimits;
  #socket: DatagramSocket | undefined;
  #tcpPort = 0;

  constructor(parts: WireParts) {
    this.#parts = parts;
    this.#awaited = new AwaitedPackets(parts.timers);
    this.#limits = new PacketLimits(() => parts.clock.elapsed());
  }

  /** UDP port of this node; 0 while none is open. */
  get port(): number {
    return this.#socket?.port ?? 0;
  }

  /** @param tcpPort - announced to others; 0 = the UDP port @throws Error of the system, such as a port in use */
  async open(datagrams: Datagrams, address: StreamAddress, tcpPort: number): Promise<void> {
    this.#socket = await datagrams.open(address, (bytes, from) => this.#take(bytes, from));
    this.#tcpPort = tcpPort || this.#socket.port;
  }

  async close(): Promise<void> {
    this.#awaited.close();
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
    return this.#awaited.wait("pong", node, ({ pingHash }) => Buffer.compare(pingHash, hash) === 0);
  }

  /** Waits half a second for a PING of a node. */
  async awaitPing(node: FoundNode): Promise<void> {
    await this.#awaited.wait("ping", node, () => true);
  }

  /**
   * Asks a node for others.
   * @param most - nodes that are taken of the answer
   * @returns its reply within half a second; undefined if there was none
   */
  async findNode(
    node: FoundNode,
    { target, type, most }: { readonly target: Uint8Array; readonly type: NodeType; readonly most: number },
  ): Promise<readonly FoundNode[] | undefined> {
    const found: FoundNode[] = [];
    let told: number | undefined;
    this.#send(node, { name: "findNode", target, type, expiration: this.#expiration() });
    await this.#awaited.wait("neighbors", node, (answer) => {
      if (answer.type !== type) return false;
      for (const neighbor of answer.nodes.slice(0, most - (told ?? 0))) {
        told = (told ?? 0) + 1;
        const fault = neighborFault(neighbor, node.host, this.#parts.isAllowed);
        if (fault === undefined) found.push(foundNodeOf(neighbor));
      }
      told ??= 0;
      return told >= most;
    });
    return told === undefined ? undefined : found;
  }

  #take(bytes: Uint8Array, from: StreamAddress): void {
    const { events, isAllowed } = this.#parts;
    const isAwaited = isAnswer(bytes) && this.#awaited.hasHost(from.host);
    const isKnown = isAwaited || events.hasHost(from.host);
    if (!isAllowed(from.host) || !this.#limits.take(from.host, isKnown)) {
      this.counts.dropped++;
      return;
    }
    try {
      const isTaken = this.#judge(openPacket(bytes), from);
      if (isTaken) this.counts.taken++;
      else this.counts.refused++;
    } catch {
      this.counts.refused++; // anybody can send anything
    }
  }

  /** @returns whether the packet was accepted @throws PeerError if its signature is invalid */
  #judge(opened: OpenedPacket, from: StreamAddress): boolean {
    const { packet } = opened;
    if (packet.expiration * 1000n < BigInt(Math.trunc(this.#parts.clock.now()))) return false;
    switch (packet.name) {
      case "ping":
        return this.#takePing(packet, opened, from);
      case "findNode":
        return this.#takeQuestion(packet, opened, from);
      case "pong":
      case "neighbors":
        // Recovering the signer costs more than checking that nobody waits for it.
        return (
          this.#awaited.isAwaited(packet.name, from.host) &&
          this.#awaited.take(packet, opened.sender(), from.host)
        );
    }
  }

  #takePing(packet: Ping, opened: OpenedPacket, from: StreamAddress): boolean {
    if (packet.networkId !== this.#parts.networkId) return false;
    const id = opened.sender();
    const { tcp, type } = packet.from;
    const node = { id, host: from.host, udp: from.port, tcp, type };
    if (!this.#parts.events.isAuthorized(id, node.type)) return false;
    const to = endpointAt(from, tcp, type);
    this.#send(node, { name: "pong", to, pingHash: opened.hash, expiration: this.#expiration() });
    if (!this.#awaited.take(packet, id, from.host)) this.#parts.events.pinged(node);
    return true;
  }

  /**
   * No response to a node that has not proven its address: responses are far longer than queries and would allow
   * amplification attacks.
   */
  #takeQuestion(question: FindNode, opened: OpenedPacket, from: StreamAddress): boolean {
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
    return BigInt(Math.trunc(this.#parts.clock.now() / 1000)) + LIFE_S;
  }
}

function endpointAt({ host, port }: StreamAddress, tcp: number, type: number): Endpoint {
  return { ip: ipBytesOf(host), udp: port, tcp, type };
}
