import { refused } from "../api/rpc/engine/errors.ts";
import type { PeerControl } from "../api/rpc/handlers/admin.ts";
import type { WireObject } from "../api/rpc/spec/wire-types.ts";
import type { Blockchain } from "../ledger/chain/blockchain.ts";
import { checksumAddress } from "../protocol/account/address.ts";
import { addressOfPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import { type Address, ZERO_ADDRESS } from "../protocol/primitives/bytes.ts";
import { bytesToHex } from "../protocol/primitives/hex.ts";

/** Who this node is. */
export interface NodeIdentity {
  readonly name: string;
  readonly networkId: bigint;
  /** Absent on a node without a key. */
  readonly nodeKey?: Uint8Array | undefined;
}

/** Address of the node's key; the zero address without one. */
export function nodeAddressOf({ nodeKey }: Pick<NodeIdentity, "nodeKey">): Address {
  return nodeKey === undefined ? ZERO_ADDRESS : addressOfPublicKey(publicKeyOf(nodeKey));
}

const KNI = /^kni:\/\/[0-9a-fA-F]{128}@(\[[0-9a-fA-F:.]{2,45}\]|[^[/?#:]{1,255}):\d{1,5}(\?.*)?$/;

/** The peers of a node that talks to none. */
export function noPeers(identity: NodeIdentity, chain: Blockchain): PeerControl {
  const refuse = (url: string): never => {
    if (/^[0-9a-fA-F]+$/.test(url) && url.length !== 128)
      throw refused("invalid kni: invalid node ID (wrong length, want 128 hex chars)");
    if (!url.startsWith("kni:")) throw refused('invalid kni: invalid URL scheme, want "kni"');
    if (!KNI.test(url)) throw refused(`invalid kni: ${url}`);
    throw refused("this node does not connect to peers");
  };
  return { nodeInfo: () => nodeInfo(identity, chain), peers: () => [], addPeer: refuse, removePeer: refuse };
}

function nodeInfo(identity: NodeIdentity, chain: Blockchain): WireObject {
  const { name, networkId, nodeKey } = identity;
  const id = nodeKey === undefined ? "" : bytesToHex(publicKeyOf(nodeKey)).slice(2);
  const { header, hash } = chain.head;
  return {
    id,
    name,
    kni: `kni://${id}@[::]:0?discport=0`,
    ip: "::",
    ports: { discovery: 0, listener: 0 },
    listenAddr: "",
    protocols: {
      istanbul: {
        network: Number(networkId),
        blockscore: Number(header.number + 1n),
        genesis: bytesToHex(chain.genesisHash),
        config: chain.config.json as WireObject,
        head: bytesToHex(hash),
      },
    },
    nodeAddress: checksumAddress(nodeAddressOf(identity)),
  };
}
