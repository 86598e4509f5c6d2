import { type Pace, runPaced } from "../../platform/runtime/turns/pace.ts";
import { unlessAborted } from "../../platform/runtime/unless-aborted.ts";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Header } from "../../protocol/block/header.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { PeerError } from "../p2p/errors.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { isBodyOf, isEmpty } from "./is-body-of.ts";

/** The reference's limit. */
const HEADERS_PER_REQUEST = 192;
/** Bodies per request. */
const BODIES_PER_REQUEST = 128;
/** Batches of bodies requested ahead of the import. */
const PREFETCHED_BATCHES = 3;
/** Maximum bytes of transactions held per batch, since headers are cheap to forge. */
const MAX_BATCH_BYTES = 4 << 20;

/** The sources of a download. */
export interface DownloadSource {
  /** The peer whose headers are followed. */
  readonly master: ChainPeer;
  /** All peers that have a block, the master among them. */
  peersWith(number: bigint): readonly ChainPeer[];
  /** Called with a peer that sent an invalid response or none. */
  onFault(peer: ChainPeer, error: unknown): void;
}

/** A block that the local chain and the peer have in common. */
export interface Ancestor {
  readonly number: bigint;
  readonly hash: Hash;
}

/**
 * The blocks after `from`, up to the head of the master: headers in order from the master, bodies from any peer that has them.
 * Each header must follow from the one before it, each body must have the root of its header.
 * @throws PeerError when the master's headers do not fit, or no peer has a body
 */
export async function* download(
  source: DownloadSource,
  from: Ancestor,
  signal: AbortSignal,
): AsyncGenerator<Block> {
  const batches: AsyncGenerator<Block>[] = [];
  let last = from;
  for (;;) {
    signal.throwIfAborted();
    const headers = await unlessAborted(nextHeaders(source.master, last), signal);
    const end = headers.at(-1);
    if (end === undefined) break;
    last = { number: end.number, hash: blockHash(end) };
    for (let i = 0; i < headers.length; i += BODIES_PER_REQUEST) {
      const part = headers.slice(i, i + BODIES_PER_REQUEST);
      const first = withBodies(source, part, signal);
      first.catch(() => {}); // reported when awaited
      batches.push(blocksOf(source, part, first, signal));
      while (batches.length > PREFETCHED_BATCHES) yield* batches.shift() as AsyncGenerator<Block>;
    }
    if (headers.length < HEADERS_PER_REQUEST && last.number >= source.master.headNumber) break;
  }
  for (const batch of batches) yield* batch;
}

/** The headers after a block; empty if the peer has none. @throws PeerError if they are not consecutive */
async function nextHeaders(peer: ChainPeer, { number, hash }: Ancestor): Promise<readonly Header[]> {
  const origin = { number: number + 1n };
  const headers = await peer.request("headersRequest", {
    origin,
    amount: BigInt(HEADERS_PER_REQUEST),
    skip: 0n,
    reverse: false,
  });
  let parent = { number, hash };
  for (const header of headers) {
    if (header.number !== parent.number + 1n || !equalBytes(header.parentHash, parent.hash)) {
      throw new PeerError("MESSAGE", `header ${header.number} does not follow from ${parent.number}`);
    }
    parent = { number: header.number, hash: blockHash(header) };
  }
  return headers;
}

/** The blocks of the headers, in order; `first` is the request in flight for the first of them. */
async function* blocksOf(
  source: DownloadSource,
  headers: readonly Header[],
  first: Promise<readonly Block[]>,
  signal: AbortSignal,
): AsyncGenerator<Block> {
  let blocks = await first;
  yield* blocks;
  for (let rest = headers.slice(blocks.length); rest.length > 0; rest = rest.slice(blocks.length)) {
    blocks = await withBodies(source, rest, signal);
    yield* blocks;
  }
}

/**
 * Blocks of consecutive headers, from the first on: as many as fit into `MAX_BATCH_BYTES`, at least one. Tries one peer after the other;
 * a peer with a head has all bodies before it, so bodies after a gap are dropped.
 * @throws PeerError if no peer has the next body; any error of the master's response
 */
async function withBodies(
  source: DownloadSource,
  headers: readonly Header[],
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  const tried = new Set<ChainPeer>();
  let size = 0;
  for (;;) {
    while (blocks.length < headers.length && isEmpty(headers[blocks.length] as Header)) {
      blocks.push({ header: headers[blocks.length] as Header, transactions: [] });
    }
    if (blocks.length === headers.length || size >= MAX_BATCH_BYTES) return blocks;
    signal.throwIfAborted();
    const missing = headers.slice(blocks.length).filter((header) => !isEmpty(header));
    const { number } = missing.at(-1) as Header;
    const candidates = source.peersWith(number).filter((one) => !tried.has(one));
    // Spreads consecutive batches over the peers.
    const peer = candidates[Number(number / BigInt(BODIES_PER_REQUEST)) % candidates.length];
    if (peer === undefined) {
      throw new PeerError("MESSAGE", `no peer has the body of block ${missing[0]?.number}`);
    }
    tried.add(peer);
    try {
      const response = await unlessAborted(peer.request("bodiesRequest", missing.map(blockHash)), signal);
      const before = blocks.length;
      size += await match(headers, response, blocks, peer.session.pace);
      if (blocks.length > before) tried.delete(peer);
    } catch (error) {
      if (peer === source.master || signal.aborted) throw error;
      source.onFault(peer, error);
    }
  }
}

/**
 * Matches the bodies of a response, which are in the order of the request, to headers, and adds the blocks.
 * @returns total bytes of their transactions
 * @throws PeerError for a body that is not the next one, or is one too many; any error of the pace
 */
async function match(
  headers: readonly Header[],
  response: readonly (readonly Transaction[])[],
  blocks: Block[],
  pace: Pace,
): Promise<number> {
  let size = 0;
  for (const transactions of response) {
    for (let next = headers[blocks.length]; next && isEmpty(next); next = headers[blocks.length]) {
      blocks.push({ header: next, transactions: [] });
    }
    const header = headers[blocks.length];
    if (header === undefined || !(await runPaced(pace, isBodyOf(header, transactions)))) {
      throw new PeerError("MESSAGE", "unsolicited body");
    }
    blocks.push({ header, transactions });
    size += transactions.reduce((sum, transaction) => sum + encodeTransaction(transaction).length, 0);
  }
  return size;
}
