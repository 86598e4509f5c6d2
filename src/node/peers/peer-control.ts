import { refused } from "../../api/rpc/engine/errors.ts";
import type { SyncStatus } from "../../api/rpc/handlers/fees/fees.ts";
import type { PeerControl } from "../../api/rpc/handlers/node/admin.ts";
import type { NetworkStatus } from "../../api/rpc/handlers/node/net.ts";
import type { WireObject } from "../../api/rpc/spec/values/wire-types.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Discovery } from "../../network/p2p/discovery/discovery.ts";
import { type NodeUrl, parseNodeUrl } from "../../network/p2p/node-url.ts";
import type { PeerNetwork } from "../../network/p2p/peers/peer-network.ts";
import type { PeerSession } from "../../network/p2p/session/session.ts";
import type { ChainNetwork } from "../../network/sync/chain-network.ts";
import type { ChainPeer } from "../../network/sync/chain-peer.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import {
  type AdvertisedEndpoint,
  NOT_ADVERTISED,
  type NodeIdentity,
  nodeInfo,
} from "../keys/node-identity.ts";

/** Node types by `ConnectionType`. */
const TYPE_NAMES = ["cn", "en", "pn", "bn"];

const ROLES: Readonly<Record<string, string>> = {
  ...{ cn: "consensus node", pn: "proxy node", en: "endpoint node" },
};

/** The peers of a node as RPC shows and controls them. */
export interface Peers {
  readonly control: PeerControl;
  readonly status: NetworkStatus;
  readonly identity: NodeIdentity;
  /** Role for people: `endpoint node`, `follower of a change log`. */
  readonly role: string;
  /** Absent on a node without peers. */
  readonly synchroniser: SyncStatus | undefined;
}

/** The peers of a node without networking. @param role - for people */
export function withoutPeers(identity: NodeIdentity, chain: Blockchain, role: string): Peers {
  const refuse = (url: string): never => {
    readUrl(url);
    throw refused("this node does not connect to peers");
  };
  return {
    control: {
      nodeInfo: () => nodeInfo(identity, chain, NOT_ADVERTISED),
      peers: () => [],
      addPeer: refuse,
      removePeer: refuse,
    },
    status: { listening: false, peerCounts: () => ({}) },
    identity,
    role,
    synchroniser: undefined,
  };
}

/** Dependencies of peer control. */
export interface ConnectedPeers {
  readonly network: PeerNetwork;
  readonly chainNetwork: ChainNetwork;
  /** Absent without discovery. */
  readonly discovery: Pick<Discovery, "port"> | undefined;
  readonly advertised: Pick<AdvertisedEndpoint, "externalHost" | "type">;
}

/** The peers of a node on a network. */
export function peersOf(
  identity: NodeIdentity,
  chain: Blockchain,
  { network, chainNetwork, discovery, advertised }: ConnectedPeers,
): Peers {
  const control: PeerControl = {
    nodeInfo: () =>
      nodeInfo(identity, chain, { ...advertised, port: network.port ?? 0, udp: discovery?.port ?? 0 }),
    peers: () =>
      [...chainNetwork.peers]
        .map((peer) => describe(peer, network))
        .sort((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1)),
    addPeer: (url) => network.add(readUrl(url)),
    removePeer: (url) => network.remove(readUrl(url).id),
  };
  const status: NetworkStatus = {
    get listening() {
      return network.port !== undefined;
    },
    peerCounts() {
      const counts: Record<string, number> = {};
      for (const session of network.sessions) {
        const type = typeOf(session);
        counts[type] = (counts[type] ?? 0) + 1;
      }
      return counts;
    },
  };
  const role = ROLES[advertised.type] ?? "node";
  return { control, status, identity, role, synchroniser: chainNetwork.synchroniser };
}

/** @throws RpcError -32000 with the reference's text */
function readUrl(url: string): NodeUrl {
  try {
    return parseNodeUrl(url);
  } catch (error) {
    throw refused(`invalid kni: ${error instanceof Error ? error.message : url}`);
  }
}

function describe(peer: ChainPeer, network: PeerNetwork): WireObject {
  const { session, version, head } = peer;
  const { id, name, capabilities } = session.hello;
  const { local, remote } = session.stream;
  return {
    id: peer.id,
    name: name.slice(0, 200),
    caps: capabilities.map(({ name, version }) => `${name.slice(0, 32)}/${version}`).sort(),
    networks: [
      {
        localAddress: addressText(local),
        remoteAddress: addressText(remote),
        inbound: session.isInbound,
        trusted: network.isTrusted(id),
        static: network.isStatic(id),
        nodeType: typeOf(session),
      },
    ],
    protocols: {
      istanbul: { version, blockscore: Number(head.totalBlockScore), head: bytesToHex(head.hash) },
    },
  };
}

function typeOf({ connectionType }: PeerSession): string {
  return TYPE_NAMES[connectionType] ?? "unknown";
}

function addressText({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
