import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Header } from "../../protocol/block/header.ts";
import { deriveSha } from "../../protocol/block/list-root.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { PeerError } from "../p2p/errors.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Headers of one request: as many as the reference answers. */
const HEADERS = 192;
/** Bodies of one request. */
const BODIES = 128;
/** Values of the governance parameter `deriveShaImpl`. */
const ROOT_IMPLEMENTATIONS = [0, 1, 2];
/** Requests for bodies that run ahead of the import. */
const AHEAD = 3;

/** Where a download gets its blocks. */
export interface DownloadSource {
  /** Its headers are followed. */
  readonly master: ChainPeer;
  /** All peers that have a block, the master among them. */
  peersWith(number: bigint): readonly ChainPeer[];
  /** Told of a peer that answers wrongly or not at all. */
  onFault(peer: ChainPeer, error: unknown): void;
}

/** A block that the chain and the peer have in common. */
export interface Ancestor {
  readonly number: bigint;
  readonly hash: Hash;
}

/**
 * The blocks after `from`, up to the head of the master: headers in order from the master, bodies from whoever has them.
 * Each header must follow from the one before it, each body must have the root of its header.
 * @throws PeerError when the master's headers do not fit, or nobody has a body
 */
export async function* download(
  source: DownloadSource,
  from: Ancestor,
  signal: AbortSignal,
): AsyncGenerator<Block> {
  const batches: Promise<readonly Block[]>[] = [];
  let last = from;
  for (;;) {
    signal.throwIfAborted();
    const headers = await nextHeaders(source.master, last);
    const end = headers.at(-1);
    if (end === undefined) break;
    last = { number: end.number, hash: blockHash(end) };
    for (let i = 0; i < headers.length; i += BODIES) {
      const batch = withBodies(source, headers.slice(i, i + BODIES), signal);
      batch.catch(() => {}); // told when it is taken
      batches.push(batch);
      while (batches.length > AHEAD) yield* (await batches.shift()) as readonly Block[];
    }
    if (headers.length < HEADERS && last.number >= source.master.headNumber) break;
  }
  for (const batch of batches) yield* await batch;
}

/** The headers after a block; empty when the peer has none. @throws PeerError when they do not follow from it */
async function nextHeaders(peer: ChainPeer, { number, hash }: Ancestor): Promise<readonly Header[]> {
  const origin = { number: number + 1n };
  const headers = await peer.request("headersRequest", {
    origin,
    amount: BigInt(HEADERS),
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

/** Blocks of headers; one peer after the other is asked until every body is there. */
async function withBodies(
  source: DownloadSource,
  headers: readonly Header[],
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const bodies = new Map<Header, readonly Transaction[]>();
  for (const header of headers) {
    if (isBodyOf(header, [])) bodies.set(header, []);
  }
  const asked = new Set<ChainPeer>();
  while (bodies.size < headers.length) {
    signal.throwIfAborted();
    const missing = headers.filter((header) => !bodies.has(header));
    const peer = pick(source.peersWith((missing.at(-1) as Header).number), asked);
    if (peer === undefined)
      throw new PeerError("MESSAGE", `nobody has the body of block ${missing[0]?.number}`);
    asked.add(peer);
    try {
      const before = bodies.size;
      match(missing, await peer.request("bodiesRequest", missing.map(blockHash)), bodies);
      if (bodies.size > before) asked.delete(peer);
    } catch (error) {
      source.onFault(peer, error);
    }
  }
  return headers.map((header) => ({ header, transactions: bodies.get(header) as readonly Transaction[] }));
}

/** One that was not asked yet, by turns. */
let turn = 0;
function pick(peers: readonly ChainPeer[], asked: ReadonlySet<ChainPeer>): ChainPeer | undefined {
  const free = peers.filter((peer) => !asked.has(peer));
  turn = (turn + 1) % 1_000_000;
  return free[turn % Math.max(1, free.length)];
}

/** Gives each body to its header; the answer has the order of the request, with those left out that are not there. */
function match(
  headers: readonly Header[],
  answer: readonly (readonly Transaction[])[],
  bodies: Map<Header, readonly Transaction[]>,
): void {
  let at = 0;
  for (const body of answer) {
    while (at < headers.length && !isBodyOf(headers[at] as Header, body)) at++;
    const header = headers[at++];
    if (header === undefined) throw new PeerError("MESSAGE", "a body that was not asked for");
    bodies.set(header, body);
  }
}

/**
 * Whether a header commits to the transactions, under any of the ways in which governance may have a root made; which of them holds
 * for the block is checked when it is imported.
 */
function isBodyOf({ transactionsRoot }: Header, transactions: readonly Transaction[]): boolean {
  const items = transactions.map(encodeTransaction);
  return ROOT_IMPLEMENTATIONS.some((implementation) =>
    equalBytes(deriveSha(implementation, items), transactionsRoot),
  );
}
