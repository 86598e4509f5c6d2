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
import { ANSWER_BYTES, type NodesByHash } from "./nodes-by-hash.ts";

/** Bytes counted for a header, whatever its size. */
const COUNTED_HEADER_BYTES = 500;
const MOST = { headers: 192, bodies: 128, receipts: 256, staking: 128 };

/** The sources of responses. */
export interface ServedChain {
  readonly chain: Pick<Chain, "header" | "hash" | "number" | "block" | "receipts">;
  /** Trie nodes and codes. */
  readonly nodes: Pick<NodesByHash, "find">;
  /** Stakes that apply to a block; absent on a chain whose proposers are not weighted by stake. */
  readonly stakingAt?: ((number: bigint) => StakingInfo) | undefined;
  /** The sidecar of a blob transaction, of the chain or the pool. Absent = there are none. */
  readonly sidecarAt?: ((place: SidecarPlace) => BlobSidecar | undefined) | undefined;
}

/** An answer to a request, with its payload encoded. */
export interface Answer {
  readonly name: MessageName;
  readonly payload: Uint8Array;
}

/** How each request is answered. */
type Answerer<N extends MessageName> = (
  served: ServedChain,
  value: MessageValue<N>,
  pace: Pace,
) => Answer | Promise<Answer>;
type Answers = { readonly [N in MessageName]?: Answerer<N> };

const ANSWERS: Answers = {
  headerFetch: ({ chain }, hash) => {
    const number = chain.number(hash);
    const header = number === undefined ? undefined : chain.header(number);
    if (header === undefined) throw new PeerError("MESSAGE", "unknown header was asked for");
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
    collected("receipts", { wanted: hashes, most: MOST.receipts, pace }, (hash) => {
      const number = chain.number(hash);
      return number === undefined ? undefined : encodeList((chain.receipts(number) ?? []).map(encodeReceipt));
    }),
  stakingInfoRequest: ({ chain, stakingAt }, hashes, pace) => {
    if (stakingAt === undefined) throw new PeerError("MESSAGE", "this chain has no staking information");
    return collected("stakingInfo", { wanted: hashes, most: MOST.staking, pace }, (hash) => {
      const number = chain.number(hash);
      return number === undefined ? undefined : stakingSummary.write(summary(stakingAt(number)));
    });
  },
  sidecarsRequest: ({ sidecarAt }, places, pace) =>
    collected("sidecars", { wanted: places, most: MAX_SIDECARS, pace }, (place) => {
      const sidecar = sidecarAt?.(place);
      return sidecar && placedSidecar.write({ ...place, sidecar });
    }),
};

/**
 * Answers a request of a peer, within the reference's limits of entries and bytes.
 * @param pace - gives others a turn during long work
 * @returns undefined for a message that is not a request
 * @throws PeerError for a request that no honest peer makes; any error of the pace
 */
export async function answerTo<N extends MessageName>(
  served: ServedChain,
  name: N,
  value: MessageValue<N>,
  pace: Pace,
): Promise<Answer | undefined> {
  const answer = ANSWERS[name] as Answerer<N> | undefined;
  return answer?.(served, value, pace);
}

/** Whether a message is a request. */
export function isRequest(name: MessageName): boolean {
  return name in ANSWERS;
}

function bodies({ chain }: ServedChain, hashes: readonly Hash[], pace: Pace): Promise<Answer> {
  return collected("bodies", { wanted: hashes, most: MOST.bodies, pace }, (hash) => {
    const number = chain.number(hash);
    const block = number === undefined ? undefined : chain.block(number);
    return block && encodeBody(block.transactions);
  });
}

interface Wanted<T> {
  readonly wanted: readonly T[];
  readonly most: number;
  readonly pace: Pace;
}

/** The values found for the keys, in order, up to `most` entries or the size limit; between two of them others get a turn. */
async function collected<T>(
  name: MessageName,
  { wanted, most, pace }: Wanted<T>,
  find: (one: T) => Uint8Array | undefined,
): Promise<Answer> {
  const found: Uint8Array[] = [];
  let size = 0;
  for (const one of wanted) {
    if (size >= ANSWER_BYTES || found.length >= most) break;
    if (pace.isDue()) await pace.giveWay();
    const entry = find(one);
    if (entry === undefined) continue;
    found.push(entry);
    size += entry.length;
  }
  return listed(name, found);
}

function listed(name: MessageName, entries: readonly Uint8Array[]): Answer {
  return { name, payload: entries.length === 0 ? encodeItem([]) : encodeList(entries) };
}

/** The requested headers, until one is missing or the response is full. */
function* headers(
  chain: ServedChain["chain"],
  { origin, amount, skip, reverse }: MessageValue<"headersRequest">,
): Generator<Header> {
  if (amount > MAX_UINT64 / 2n) return;
  const most = Math.min(MOST.headers, Math.ceil(ANSWER_BYTES / COUNTED_HEADER_BYTES));
  const step = skip + 1n;
  let number = startOf(chain, origin);
  for (let i = 0; number !== undefined && i < most && BigInt(i) < amount; i++) {
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
