import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { recoverPublicKey, signBytes } from "../../../protocol/crypto/secp256k1.ts";
import {
  allocateBytes,
  bigintToBytes,
  equalBytes,
  numberToBytes,
} from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";

/** Protocol version in a PING; others are accepted too. */
export const DISCOVERY_VERSION = 4;
/** Maximum size of a packet; the reference truncates longer ones. */
export const MAX_PACKET_BYTES = 1280;
/** Maximum neighbours that fit into a packet, even with IPv6 addresses. */
export const MAX_NEIGHBORS = 12;

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 65;
const HEAD_BYTES = HASH_BYTES + SIGNATURE_BYTES;
const ID_BYTES = 64;

/** Packet types. */
const TYPES = { ping: 1, pong: 2, findNode: 3, neighbors: 4 } as const;

/** An endpoint. */
export interface Endpoint {
  /** As received: 4 or 16 bytes if it is a valid IP address. */
  readonly ip: Uint8Array;
  readonly udp: number;
  readonly tcp: number;
  /** One of `NodeType`, or an unknown number. */
  readonly type: number;
}

/** A node in a NEIGHBORS packet. */
export interface Neighbor extends Endpoint {
  /** Public key, 64 bytes. */
  readonly id: Uint8Array;
}

/** Liveness check. */
export interface Ping {
  readonly name: "ping";
  readonly networkId: bigint;
  readonly version: bigint;
  readonly from: Endpoint;
  readonly to: Endpoint;
  /** Seconds since 1970, after which the packet is ignored. */
  readonly expiration: bigint;
}

/** Reply to a PING, with its hash. */
export interface Pong {
  readonly name: "pong";
  readonly to: Endpoint;
  readonly pingHash: Uint8Array;
  readonly expiration: bigint;
}

/** Query for nodes of a type near a target. */
export interface FindNode {
  readonly name: "findNode";
  /** 64 bytes; distances are measured to its hash. */
  readonly target: Uint8Array;
  readonly type: number;
  readonly expiration: bigint;
}

/** Reply to a FINDNODE, in several packets if necessary. */
export interface Neighbors {
  readonly name: "neighbors";
  readonly type: number;
  readonly nodes: readonly Neighbor[];
  readonly expiration: bigint;
}

/** A discovery packet. */
export type Packet = Ping | Pong | FindNode | Neighbors;

/** A decoded packet. Recovering the signer costs some 80 µs, and is done on demand. */
export interface OpenedPacket<P extends Packet = Packet> {
  readonly packet: P;
  /** Hash of everything after it, 32 bytes; a PONG repeats that of the PING. */
  readonly hash: Uint8Array;
  /** Public key of the signer, 64 bytes. @throws PeerError `MESSAGE` for an invalid signature */
  sender(): Uint8Array;
}

/**
 * Encodes a packet: `Keccak-256 of the rest (32) ‖ signature (65) ‖ type (1) ‖ RLP`, signed over the Keccak-256 of type and RLP.
 * @param key - private key of the node, 32 bytes
 */
export function encodePacket(packet: Packet, key: Uint8Array): { bytes: Uint8Array; hash: Uint8Array } {
  const payload = encodeItem(itemsOf(packet));
  const bytes = allocateBytes(HEAD_BYTES + 1 + payload.length);
  bytes[HEAD_BYTES] = TYPES[packet.name];
  bytes.set(payload, HEAD_BYTES + 1);
  bytes.set(signBytes(keccak256(bytes.subarray(HEAD_BYTES)), key), HASH_BYTES);
  const hash = keccak256(bytes.subarray(HASH_BYTES));
  bytes.set(hash);
  return { bytes, hash };
}

/**
 * Decodes a packet. Additional list elements and trailing bytes are ignored (EIP-8).
 * @throws PeerError `MESSAGE`; RlpError
 */
export function openPacket(bytes: Uint8Array): OpenedPacket {
  if (bytes.length <= HEAD_BYTES) throw new PeerError("MESSAGE", "packet is too small");
  if (bytes.length > MAX_PACKET_BYTES) throw new PeerError("MESSAGE", "packet is too large");
  const hash = bytes.subarray(0, HASH_BYTES);
  if (!equalBytes(hash, keccak256(bytes.subarray(HASH_BYTES)))) throw new PeerError("MESSAGE", "bad hash");
  const signed = bytes.subarray(HEAD_BYTES);
  const packet = readPacket(signed[0] as number, new RlpReader(signed, 1));
  return { packet, hash, sender: () => recoverSender(signed, bytes.subarray(HASH_BYTES, HEAD_BYTES)) };
}

/** Whether bytes claim to be a PONG or NEIGHBORS; they may be malformed. */
export function isReply(bytes: Uint8Array): boolean {
  const type = bytes[HEAD_BYTES];
  return type === TYPES.pong || type === TYPES.neighbors;
}

function recoverSender(signed: Uint8Array, signature: Uint8Array): Uint8Array {
  const parity = signature[SIGNATURE_BYTES - 1] as number;
  if (parity > 1) throw new PeerError("MESSAGE", "bad signature");
  try {
    return recoverPublicKey(keccak256(signed), signature.subarray(0, SIGNATURE_BYTES - 1), parity).slice();
  } catch (cause) {
    throw new PeerError("MESSAGE", "bad signature", {}, { cause });
  }
}

function itemsOf(packet: Packet): Item[] {
  const expiration = bigintToBytes(packet.expiration);
  switch (packet.name) {
    case "ping":
      return [
        ...[bigintToBytes(packet.networkId), bigintToBytes(packet.version)],
        ...[endpointItems(packet.from), endpointItems(packet.to), expiration],
      ];
    case "pong":
      return [endpointItems(packet.to), packet.pingHash, expiration];
    case "findNode":
      return [packet.target, numberToBytes(packet.type), expiration];
    case "neighbors":
      return [numberToBytes(packet.type), packet.nodes.map(neighborItems), expiration];
  }
}

function endpointItems({ ip, udp, tcp, type }: Endpoint): Item[] {
  return [ip, numberToBytes(udp), numberToBytes(tcp), numberToBytes(type)];
}

function neighborItems({ ip, udp, tcp, id, type }: Neighbor): Item[] {
  return [ip, numberToBytes(udp), numberToBytes(tcp), id, numberToBytes(type)];
}

function readPacket(type: number, reader: RlpReader): Packet {
  switch (type) {
    case TYPES.ping:
      return readList(reader, "discover.ping", () => ({
        name: "ping",
        networkId: reader.uint("uint64", 8),
        version: reader.uint("uint", 8),
        from: readEndpoint(reader),
        to: readEndpoint(reader),
        expiration: reader.uint("uint64", 8),
      }));
    case TYPES.pong:
      return readList(reader, "discover.pong", () => ({
        name: "pong",
        to: readEndpoint(reader),
        pingHash: reader.bytes(),
        expiration: reader.uint("uint64", 8),
      }));
    case TYPES.findNode:
      return readList(reader, "discover.findnode", () => ({
        name: "findNode",
        target: reader.fixed(ID_BYTES, "discover.NodeID"),
        type: reader.number("discover.NodeType"),
        expiration: reader.uint("uint64", 8),
      }));
    case TYPES.neighbors:
      return readList(reader, "discover.neighbors", () => ({
        name: "neighbors",
        type: reader.number("discover.NodeType"),
        nodes: readNeighbors(reader),
        expiration: reader.uint("uint64", 8),
      }));
    default:
      throw new PeerError("MESSAGE", `unknown type: ${type}`);
  }
}

/** Reads a list, ignoring additional elements. */
function readList<T>(reader: RlpReader, type: string, read: () => T): T {
  reader.enterList(type);
  const value = read();
  while (!reader.atEnd) reader.skip();
  reader.leaveList();
  return value;
}

function readEndpoint(reader: RlpReader): Endpoint {
  reader.enterList("discover.rpcEndpoint");
  const ip = reader.bytes("net.IP");
  const udp = reader.number("uint16", 2);
  const tcp = reader.number("uint16", 2);
  const type = reader.number("discover.NodeType");
  reader.leaveList();
  return { ip, udp, tcp, type };
}

function readNeighbors(reader: RlpReader): readonly Neighbor[] {
  const nodes: Neighbor[] = [];
  reader.enterList("[]discover.rpcNode");
  while (!reader.atEnd) {
    reader.enterList("discover.rpcNode");
    const ip = reader.bytes("net.IP");
    const udp = reader.number("uint16", 2);
    const tcp = reader.number("uint16", 2);
    const id = reader.fixed(ID_BYTES, "discover.NodeID");
    const type = reader.number("discover.NodeType");
    reader.leaveList();
    nodes.push({ ip, udp, tcp, id, type });
  }
  reader.leaveList();
  return nodes;
}
