import type { Chain } from "../../ledger/chain/chain.ts";
import type { StakingInfo } from "../../ledger/extensions/staking/staking-info.ts";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import { encodeBody } from "../../protocol/block/block-codec.ts";
import type { Header } from "../../protocol/block/header.ts";
import { encodeReceipt } from "../../protocol/block/receipt-codec.ts";
import { encodeItem } from "../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../protocol/codec/rlp/list.ts";
import { equalBytes, type Hash, isZeroBytes } from "../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../protocol/primitives/integers.ts";
import type { BlobSidecar } from "../../protocol/transaction/transaction.ts";
import { PeerError } from "../p2p/errors.ts";
import { MAX_SIDECARS, type MessageName, type MessageValue } from "../protocol/chain-messages.ts";
import {
  header as headerCodec,
  type Origin,
  placedSidecar,
  type SidecarPlace,
  stakingSummary,
} from "../protocol/parts.ts";
import { type NodesByHash, RESPONSE_BYTES } from "./nodes-by-hash.ts";

/** Estimated bytes of a header, as counted by the reference. */
const COUNTED_HEADER_BYTES = 500;
const MAX_ENTRIES = { headers: 192, bodies: 128, receipts: 256, staking: 128 };

/** The sources of responses. */
export interface ServedChain {
  readonly chain: Pick<Chain, "header" | "hash" | "number" | "block" | "receipts">;
  /** Trie nodes and codes. */
  readonly nodes: Pick<NodesByHash, "find">;
  /** Staking information that applies to a block; absent on chains without weighted proposers. */
  readonly stakingAt?: ((number: bigint) => StakingInfo) | undefined;
  /** The sidecar of a blob transaction in the chain or the pool. Absent = there are none. */
  readonly sidecarAt?: ((place: SidecarPlace) => BlobSidecar | undefined) | undefined;
}

/** An encoded response to a request. */
export interface EncodedResponse {
  readonly name: MessageName;
  readonly payload: Uint8Array;
}

/** The handler of a request. */
type Responder<N extends MessageName> = (
  served: ServedChain,
  value: MessageValue<N>,
  pace: Pace,
) => EncodedResponse | Promise<EncodedResponse>;
type Responders = { readonly [N in MessageName]?: Responder<N> };

const RESPONDERS: Responders = {
  headerFetch: ({ chain }, hash) => {
    const number = chain.number(hash);
    const header = number === undefined ? undefined : chain.header(number);
    if (header === undefined) throw new PeerError("MESSAGE", "request for an unknown header");
    return { name: "fetchedHeader", payload: headerCodec.write(header) };
  },
  bodiesFetch: async (served, hashes, pace) => ({
    ...(await bodies(served, hashes, pace)),
    name: "fetchedBodies",
  }),
  headersRequest: ({ chain }, request) =>
    listed("headers", [...headers(chain, request)].map(headerCodec.write)),
  bodiesRequest: bodies,
  nodeDataRequest: async ({ nodes }, hashes, pace) =>
    listed("nodeData", (await nodes.find(hashes, pace)).map(encodeItem)),
  receiptsRequest: ({ chain }, hashes, pace) =>
    collected("receipts", { wanted: hashes, max: MAX_ENTRIES.receipts, pace }, (hash) => {
      const number = chain.number(hash);
      return number === undefined ? undefined : encodeList((chain.receipts(number) ?? []).map(encodeReceipt));
    }),
  stakingInfoRequest: ({ chain, stakingAt }, hashes, pace) => {
    if (stakingAt === undefined) throw new PeerError("MESSAGE", "this chain has no staking information");
    return collected("stakingInfo", { wanted: hashes, max: MAX_ENTRIES.staking, pace }, (hash) => {
      const number = chain.number(hash);
      return number === undefined ? undefined : stakingSummary.write(summary(stakingAt(number)));
    });
  },
  sidecarsRequest: ({ sidecarAt }, places, pace) =>
    collected("sidecars", { wanted: places, max: MAX_SIDECARS, pace }, (place) => {
      const sidecar = sidecarAt?.(place);
      return sidecar && placedSidecar.write({ ...place, sidecar });
    }),
};

/**
 * Responders a request of a peer, within the reference's limits of entries and bytes.
 * @param pace - gives others a turn during long work
 * @returns undefined for a message that is not a request
 * @throws PeerError for a request that no honest peer makes; any error of the pace
 */
export async function respondTo<N extends MessageName>(
  served: ServedChain,
  name: N,
  value: MessageValue<N>,
  pace: Pace,
): Promise<EncodedResponse | undefined> {
  const respond = RESPONDERS[name] as Responder<N> | undefined;
  return respond?.(served, value, pace);
}

/** Whether a message is a request. */
export function isRequest(name: MessageName): boolean {
  return name in RESPONDERS;
}

function bodies({ chain }: ServedChain, hashes: readonly Hash[], pace: Pace): Promise<EncodedResponse> {
  return collected("bodies", { wanted: hashes, max: MAX_ENTRIES.bodies, pace }, (hash) => {
    const number = chain.number(hash);
    const block = number === undefined ? undefined : chain.block(number);
    return block && encodeBody(block.transactions);
  });
}

interface Wanted<T> {
  readonly wanted: readonly T[];
  readonly max: number;
  readonly pace: Pace;
}

/** The values found for the keys, in order, up to `max` entries or the size limit; yields in between. */
async function collected<T>(
  name: MessageName,
  { wanted, max, pace }: Wanted<T>,
  find: (one: T) => Uint8Array | undefined,
): Promise<EncodedResponse> {
  const found: Uint8Array[] = [];
  let size = 0;
  for (const one of wanted) {
    if (size >= RESPONSE_BYTES || found.length >= max) break;
    if (pace.isDue()) await pace.yield();
    const entry = find(one);
    if (entry === undefined) continue;
    found.push(entry);
    size += entry.length;
  }
  return listed(name, found);
}

function listed(name: MessageName, entries: readonly Uint8Array[]): EncodedResponse {
  return { name, payload: entries.length === 0 ? encodeItem([]) : encodeList(entries) };
}

/** The requested headers, up to the first missing one or the limit. */
function* headers(
  chain: ServedChain["chain"],
  { origin, amount, skip, reverse }: MessageValue<"headersRequest">,
): Generator<Header> {
  if (amount > MAX_UINT64 / 2n) return;
  const max = Math.min(MAX_ENTRIES.headers, Math.ceil(RESPONSE_BYTES / COUNTED_HEADER_BYTES));
  const step = skip + 1n;
  let number = startOf(chain, origin);
  for (let i = 0; number !== undefined && i < max && BigInt(i) < amount; i++) {
    const header = chain.header(number);
    if (header === undefined) return;
    yield header;
    const next: bigint = reverse ? number - step : number + step;
    number = next < 0n || next > MAX_UINT64 ? undefined : next;
  }
}

/** The zero hash stands for the genesis block. */
function startOf(chain: ServedChain["chain"], origin: Origin): bigint | undefined {
  if ("number" in origin) return origin.number;
  if (isZeroBytes(origin.hash)) return 0n;
  const number = chain.number(origin.hash);
  if (number === undefined) return undefined;
  const hash = chain.hash(number);
  return hash !== undefined && equalBytes(hash, origin.hash) ? number : undefined;
}

function summary({
  sourceBlock,
  nodes,
  kefAddress,
  kifAddress,
}: StakingInfo): MessageValue<"stakingInfo">[number] {
  return {
    blockNumber: sourceBlock,
    nodes: nodes.map(({ nodeId }) => nodeId),
    stakingContracts: nodes.map(({ stakingContract }) => stakingContract),
    rewardAddresses: nodes.map(({ rewardAddress }) => rewardAddress),
    ...{ kefAddress, kifAddress, usesGini: false, gini: 0 },
    amounts: nodes.map(({ amount }) => amount),
  };
}
