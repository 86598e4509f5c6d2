import { isPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { NodeUrl } from "../node-url.ts";
import { relayFault } from "./address-rules.ts";
import { hostOf, ipBytesOf } from "./ip-address.ts";
import type { Neighbor } from "./packets.ts";

/** Privileged ports are rejected: announcing one could direct traffic at a third party. */
const MAX_LOW_PORT = 1024;
/** Prefix of an uncompressed point. */
const UNCOMPRESSED = Uint8Array.of(4);

/** A node that can be queried and, most likely, dialled. */
export interface FoundNode {
  /** Public key, 64 bytes. */
  readonly id: Uint8Array;
  /** IP address. */
  readonly host: string;
  readonly udp: number;
  readonly tcp: number;
  /** One of `NodeType`, or an unknown number. */
  readonly type: number;
}

/** Map key of a node. */
export function keyOf(id: Uint8Array): string {
  return bytesToHex(id);
}

/**
 * Why a neighbour is rejected, with the reference's text; undefined if it is accepted.
 * @param sender - IP address of the node that reported it
 * @param isAllowed - whether an IP address is allowed by the operator's network restriction
 */
export function neighborFault(
  { ip, udp, tcp, id }: Neighbor,
  sender: string,
  isAllowed: (host: string) => boolean,
): string | undefined {
  const host = hostOf(ip);
  if (udp <= MAX_LOW_PORT) return "low port";
  if (host === undefined) return "invalid IP";
  const fault = relayFault(sender, host);
  if (fault !== undefined) return fault;
  if (!isAllowed(host)) return "not contained in netrestrict whitelist";
  if (tcp === 0) return "missing TCP port";
  return isPublicKey(concat(UNCOMPRESSED, id)) ? undefined : "id is invalid secp256k1 curve point";
}

/** The node described by a neighbour entry. @param neighbor - one that `neighborFault` has accepted */
export function foundNodeOf({ ip, udp, tcp, id, type }: Neighbor): FoundNode {
  return { id: id.slice(), host: hostOf(ip) as string, udp, tcp, type };
}

/** A node as a neighbour entry. */
export function neighborOf({ id, host, udp, tcp, type }: FoundNode): Neighbor {
  return { ip: ipBytesOf(host), udp, tcp, id, type };
}

/** The URL by which a node is dialled. */
export function urlOf({ id, host, udp, tcp, type }: FoundNode): NodeUrl {
  return { id, host, tcp, udp, subports: [], type };
}
