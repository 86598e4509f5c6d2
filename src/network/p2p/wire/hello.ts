import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { EMPTY_BYTES, isZeroBytes, numberToBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import type { Capability } from "./capabilities.ts";

/** First version of the base protocol with compressed payloads. */
export const SNAPPY_VERSION = 5;
/** Maximum size of a hello. */
export const MAX_HELLO_BYTES = 2048;

/** Identity and capabilities of a peer. */
export interface Hello {
  /** Version of the base protocol. */
  readonly version: number;
  /** Client name and version, chosen freely by the peer. */
  readonly name: string;
  readonly capabilities: readonly Capability[];
  /** TCP ports of a multichannel node; otherwise empty. */
  readonly listenPorts: readonly number[];
  /** Public key, 64 bytes. */
  readonly id: Uint8Array;
  /** Whether it wants a connection for each of its ports. */
  readonly isMultichannel: boolean;
}

/**
 * Payload of a hello. Differs from Ethereum's in two fields: the ports are a list, and a multichannel flag follows the id.
 */
export function encodeHello(hello: Hello): Uint8Array {
  return encodeItem([
    numberToBytes(hello.version),
    new TextEncoder().encode(hello.name),
    hello.capabilities.map(({ name, version }) => [new TextEncoder().encode(name), numberToBytes(version)]),
    hello.listenPorts.map(numberToBytes),
    hello.id,
    hello.isMultichannel ? Uint8Array.of(1) : EMPTY_BYTES,
  ]);
}

/**
 * Decodes a hello; additional elements are ignored.
 * @throws PeerError `MESSAGE` for an oversized payload or a zero id; RlpError
 */
export function decodeHello(payload: Uint8Array): Hello {
  if (payload.length > MAX_HELLO_BYTES) throw new PeerError("MESSAGE", "message too big");
  const reader = new RlpReader(payload);
  reader.enterList("p2p.protoHandshake");
  const version = Number(reader.uint("uint64", 8));
  const name = new TextDecoder().decode(reader.bytes("string"));
  const capabilities = readList(reader, "[]p2p.Cap", readCapability);
  const listenPorts = readList(reader, "[]uint64", () => Number(reader.uint("uint64", 8)));
  const id = reader.fixed(64, "discover.NodeID");
  const isMultichannel = reader.bool();
  while (!reader.atEnd) reader.skip();
  reader.leaveList();
  if (isZeroBytes(id)) throw new PeerError("MESSAGE", "invalid node identity");
  return { version, name, capabilities, listenPorts, id, isMultichannel };
}

function readCapability(reader: RlpReader): Capability {
  reader.enterList("p2p.Cap");
  const name = new TextDecoder().decode(reader.bytes("string"));
  const version = Number(reader.uint("uint", 8));
  reader.leaveList();
  return { name, version };
}

function readList<T>(reader: RlpReader, type: string, read: (reader: RlpReader) => T): readonly T[] {
  const items: T[] = [];
  reader.enterList(type);
  while (!reader.atEnd) items.push(read(reader));
  reader.leaveList();
  return items;
}
