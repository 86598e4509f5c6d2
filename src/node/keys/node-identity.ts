import { showConfig } from "../../api/rpc/handlers/consensus/shown-config.ts";
import type { ExactObject } from "../../api/rpc/spec/values/exact-json.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import { formatNodeUrl, NodeType } from "../../network/p2p/node-url.ts";
import { checksumAddress } from "../../protocol/account/address.ts";
import { loadBls } from "../../protocol/crypto/bls.ts";
import { addressOfPrivateKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** The node's identity. */
export interface NodeIdentity {
  readonly name: string;
  readonly networkId: bigint;
  /** Absent on a node without a key. */
  readonly nodeKey?: Uint8Array | undefined;
  /** BLS key for random reveals; absent on a node without a key. */
  readonly blsKey?: Uint8Array | undefined;
}

/** Address of the node's key; the zero address without one. */
export function nodeAddressOf({ nodeKey }: Pick<NodeIdentity, "nodeKey">): Address {
  return nodeKey === undefined ? ZERO_ADDRESS : addressOfPrivateKey(nodeKey);
}

/** The endpoint that a node advertises. */
export interface AdvertisedEndpoint {
  /** TCP port for peers; 0 if not listening. */
  readonly port: number;
  /** UDP port for discovery; 0 if it does not take part. */
  readonly udp: number;
  /** External IP address, if the operator has set one. */
  readonly externalHost?: string | undefined;
  readonly type: "cn" | "pn" | "en";
}

/** The endpoint of a node that is not reachable by others. */
export const NOT_ADVERTISED: AdvertisedEndpoint = { port: 0, udp: 0, type: "en" };

/**
 * The response of `admin_nodeInfo`. Includes the public BLS key and its proof of possession, as needed for the registry, if the node has a
 * key. The configuration is that of the genesis block, with the defaults of parameters that it leaves out.
 */
export async function nodeInfo(
  identity: NodeIdentity,
  chain: Blockchain,
  advertised: AdvertisedEndpoint,
): Promise<ExactObject> {
  const { name, networkId, nodeKey, blsKey } = identity;
  const blsPublicKeyInfo = blsKey && (await blsRecord(blsKey));
  const { port, udp, externalHost: ip = "::" } = advertised;
  const id = nodeKey === undefined ? EMPTY_BYTES : publicKeyOf(nodeKey);
  const type = udp === 0 ? NodeType.unknown : NodeType[advertised.type];
  const { header, hash } = chain.head;
  return {
    id: bytesToHex(id).slice(2),
    name,
    kni: formatNodeUrl({ id, host: ip, tcp: port, udp, subports: [], type }),
    ip,
    ports: { discovery: udp, listener: port },
    listenAddr: port === 0 ? "" : `[::]:${port}`,
    protocols: {
      istanbul: {
        network: Number(networkId),
        blockscore: Number(header.number + 1n),
        genesis: bytesToHex(chain.genesisHash),
        config: showConfig(chain.config, chain.params.at(0n)),
        head: bytesToHex(hash),
      },
    },
    nodeAddress: checksumAddress(nodeAddressOf(identity)),
    ...(blsPublicKeyInfo && { blsPublicKeyInfo }),
  };
}

/** Cache by secret key: a proof takes some ten milliseconds. */
const blsRecords = new WeakMap<Uint8Array, Promise<ExactObject>>();

/** Public key, 48 bytes, and proof of possession, 96 bytes, in hexadecimal without 0x, as in the reference. */
function blsRecord(secretKey: Uint8Array): Promise<ExactObject> {
  const known = blsRecords.get(secretKey);
  if (known !== undefined) return known;
  const record = loadBls().then((bls) => ({
    publicKey: bytesToHex(bls.publicKey(secretKey)).slice(2),
    pop: bytesToHex(bls.provePossession(secretKey)).slice(2),
  }));
  blsRecords.set(secretKey, record);
  return record;
}
