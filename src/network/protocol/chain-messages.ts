import { bool, bytes, type Codec, type CodecValue, hash, list, record, uint, uint64 } from "./codec.ts";
import {
  bid,
  block,
  body,
  header,
  origin,
  placedSidecar,
  receipts,
  sidecarPlace,
  stakingSummary,
  transactions,
} from "./parts.ts";

/** A message of the chain protocol. */
export interface MessageType<T = unknown> {
  /** Relative to the offset of the protocol. */
  readonly code: number;
  readonly codec: Codec<T>;
  /** First protocol version that includes it. */
  readonly since: number;
}

/** Maximum hashes per request; responses have lower limits of their own. */
const MAX_HASHES = 4096;
/** Maximum announcements per message. */
const MAX_ANNOUNCED = 5120;
const MAX_HEADERS = 192;
const MAX_BODIES = 128;
const MAX_NODES = 384;
const MAX_RECEIPTS = 256;
const MAX_STAKING = 128;
/** Maximum sidecars per response. */
export const MAX_SIDECARS = 4;
/** Maximum sidecars per request: missing ones take no room in the response. */
const MAX_SIDECAR_REQUESTS = 128;

const hashes = list("[]common.Hash", hash, MAX_HASHES);
const bodies = list("cn.blockBodiesData", body, MAX_BODIES);

/**
 * All messages of the protocol `istanbul`, by name. Encoders, decoders, metrics and fuzz tests are derived from this table.
 */
export const CHAIN_MESSAGES = {
  /** The handshake: chain and head. */
  status: message(
    0x00,
    record("cn.statusData", {
      protocolVersion: uint("uint32", 32),
      networkId: uint64,
      /** Sum of the block scores: the head's number + 1. */
      totalBlockScore: uint("*big.Int"),
      head: hash,
      genesis: hash,
      chainId: uint("*big.Int"),
    }),
  ),
  /** Announces new blocks. */
  newBlockHashes: message(
    0x01,
    list(
      "cn.newBlockHashesData",
      record("struct { Hash common.Hash; Number uint64 }", { hash, number: uint64 }),
      MAX_ANNOUNCED,
    ),
  ),
  headerFetch: message(0x02, hash),
  fetchedHeader: message(0x03, header),
  bodiesFetch: message(0x04, hashes),
  fetchedBodies: message(0x05, bodies),
  transactions: message(0x06, transactions),
  headersRequest: message(
    0x07,
    record("cn.getBlockHeadersData", {
      origin,
      amount: uint64,
      /** Blocks to skip between two headers. */
      skip: uint64,
      /** Towards the genesis. */
      reverse: bool,
    }),
  ),
  headers: message(0x08, list("[]*types.Header", header, MAX_HEADERS)),
  bodiesRequest: message(0x09, hashes),
  bodies: message(0x0a, bodies),
  /** A whole block. */
  newBlock: message(0x0b, record("cn.newBlockData", { block, totalBlockScore: uint("*big.Int") })),
  nodeDataRequest: message(0x0c, hashes),
  nodeData: message(0x0d, list("[][]uint8", bytes, MAX_NODES)),
  receiptsRequest: message(0x0e, hashes),
  receipts: message(0x0f, list("[][]*types.Receipt", receipts, MAX_RECEIPTS)),
  /** An encoded consensus message. */
  consensus: message(0x11, record("istanbul.ConsensusMsg", { previousHash: hash, payload: bytes })),
  stakingInfoRequest: message(0x12, hashes, 65),
  stakingInfo: message(0x13, list("[]*staking.P2PStakingInfo", stakingSummary, MAX_STAKING), 65),
  bid: message(0x14, bid, 66),
  sidecarsRequest: message(0x15, list("cn.blobSidecarsRequestData", sidecarPlace, MAX_SIDECAR_REQUESTS), 67),
  sidecars: message(0x16, list("cn.blobSidecarsData", placedSidecar, MAX_SIDECARS), 67),
} as const;

/** Name of a message. */
export type MessageName = keyof typeof CHAIN_MESSAGES;
/** The payload of a message. */
export type MessageValue<N extends MessageName> = CodecValue<(typeof CHAIN_MESSAGES)[N]["codec"]>;

const names = new Map<number, MessageName>(
  Object.entries(CHAIN_MESSAGES).map(([name, { code }]) => [code, name as MessageName]),
);

/** The message of a code in a protocol version; undefined for an unknown code. */
export function messageName(code: number, version: number): MessageName | undefined {
  const name = names.get(code);
  return name !== undefined && CHAIN_MESSAGES[name].since <= version ? name : undefined;
}

function message<T>(code: number, codec: Codec<T>, since = 64): MessageType<T> {
  return { code, codec, since };
}
