import type { WireObject } from "../../api/rpc/spec/values/wire-types.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import { checksumAddress } from "../../protocol/account/address.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { type Address, ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

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

/** What `admin_nodeInfo` tells. @param port - on which peers connect; 0 where nothing listens */
export function nodeInfo(identity: NodeIdentity, chain: Blockchain, port: number): WireObject {
  const { name, networkId, nodeKey } = identity;
  const id = nodeKey === undefined ? "" : bytesToHex(publicKeyOf(nodeKey)).slice(2);
  const { header, hash } = chain.head;
  return {
    id,
    name,
    kni: `kni://${id}@[::]:${port}?discport=0`,
    ip: "::",
    ports: { discovery: 0, listener: port },
    listenAddr: port === 0 ? "" : `[::]:${port}`,
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
