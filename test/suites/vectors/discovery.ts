import { relayFault } from "../../../src/network/p2p/discovery/address-rules.ts";
import {
  bucketOf,
  compareDistance,
  idHash,
  logDistance,
} from "../../../src/network/p2p/discovery/distance.ts";
import { foundNodeOf, neighborFault, urlOf } from "../../../src/network/p2p/discovery/found-node.ts";
import { hostOf, ipBytesOf } from "../../../src/network/p2p/discovery/ip-address.ts";
import { encodePacket, openPacket, type Packet } from "../../../src/network/p2p/discovery/packets.ts";
import { formatNodeUrl } from "../../../src/network/p2p/node-url.ts";
import { allowedBy } from "../../../src/network/p2p/peers/allowed-networks.ts";
import { networks } from "../../../src/node/options/chain/network.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { casesOf, failureOf, same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
type Published = any;

const NAMES: Readonly<Record<Packet["name"], string>> = {
  ping: "PING/v4",
  pong: "PONG/v4",
  findNode: "FINDNODE/v4",
  neighbors: "NEIGHBORS/v4",
};

/** network/discovery.json: packets decoded and encoded, and invalid ones. */
export function packets({ cases, key, maxNeighborsPerPacket }: Published): VectorCase[] {
  return cases.map((vector: Published) => ({
    name: vector.name,
    run() {
      const bytes = hexToBytes(vector.packet);
      if (vector.accepted !== undefined) {
        const failure = failureOf(() => openPacket(bytes).sender());
        if (!vector.mayRefuse) same(failure === null, vector.accepted, failure ?? "accepted");
        return;
      }
      const { packet, hash, sender } = openPacket(bytes);
      same(
        { hash: hex(hash), from: hex(sender()), decodedAs: NAMES[packet.name] },
        { hash: vector.hash, from: vector.from, decodedAs: vector.decodedAs },
        "packet",
      );
      const shown = shownOf(packet);
      const published = Object.fromEntries(
        Object.keys(shown).flatMap((name) => (name in vector ? [[name, vector[name] ?? []]] : [])),
      );
      same(
        Object.fromEntries(Object.keys(published).map((name) => [name, shown[name]])),
        published,
        "fields",
      );
      if (vector.extraItems !== undefined) return;
      same(hex(encodePacket(packet, hexToBytes(key)).bytes), vector.packet, "written");
      if (packet.name === "neighbors") same(packet.nodes.length <= maxNeighborsPerPacket, true, "size");
    },
  }));
}

function shownOf(packet: Packet): Record<string, unknown> {
  switch (packet.name) {
    case "ping":
      return {
        ...{ networkId: packet.networkId, version: packet.version, expiration: packet.expiration },
        ...{ fromIp: hostOf(packet.from.ip), fromUdp: packet.from.udp, fromTcp: packet.from.tcp },
        fromType: packet.from.type,
      };
    case "pong":
      return {
        pingHash: hex(packet.pingHash),
        replyTok: hex(packet.pingHash),
        expiration: packet.expiration,
      };
    case "findNode":
      return { target: hex(packet.target), targetType: packet.type, expiration: packet.expiration };
    case "neighbors":
      return {
        targetType: packet.type,
        nodes: packet.nodes.map(({ id, ip, tcp, udp, type }) => ({
          id: hex(id),
          ip: hostOf(ip),
          tcp,
          udp,
          type,
        })),
        expiration: packet.expiration,
      };
  }
}

/** network/discovery-addresses.json: addresses announced by nodes, neighbours messages, and lists of networks. */
export const addresses = casesOf((vector: Published) => {
  if (vector.netlist !== undefined) {
    const failure = failureOf(() => same(networks.parse(vector.netlist), vector.masks, "masks"));
    same(failure === null, vector.accepted, failure ?? "accepted");
  } else if (vector.sender !== undefined) {
    const host = hostOf(ipBytesOf(vector.ip)) as string;
    same(relayFault(vector.sender, host) ?? null, vector.error, "error");
  } else {
    const { udp, tcp, type, netrestrict } = vector;
    const neighbor = { ip: hexToBytes(vector.ip), id: hexToBytes(vector.id), udp, tcp, type };
    const isAllowed = allowedBy(netrestrict ? ["127.0.0.0/8", "10.0.0.0/16"] : []);
    const fault = neighborFault(neighbor, "127.0.0.1", isAllowed);
    same(fault ?? null, vector.error, "error");
    if (fault === undefined) same(formatNodeUrl(urlOf(foundNodeOf(neighbor))), vector.url, "url");
  }
});

/** network/kademlia.json: distances, buckets and the order of nodes. */
export function distances({ cases, ids }: Published): VectorCase[] {
  const places: Uint8Array[] = ids.map((id: string) => idHash(hexToBytes(id)));
  return cases.map((vector: Published) => ({
    name: vector.name,
    run() {
      const target = idHash(hexToBytes(vector.target));
      const order = places
        .map((_, i) => i)
        .sort((a, b) => compareDistance(target, places[a] as Uint8Array, places[b] as Uint8Array));
      same(order.slice(0, 16), vector.closest16, "closest16");
      const first = places.slice(0, 16);
      same(
        first.map((place) => logDistance(target, place)),
        vector.logDistanceToFirst16,
        "logDistance",
      );
      same(
        first.map((place) => bucketOf(target, place)),
        vector.bucketOfFirst16,
        "bucket",
      );
    },
  }));
}
