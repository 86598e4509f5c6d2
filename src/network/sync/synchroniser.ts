import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { BlockImporter } from "../../ledger/chain/import/importer.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import { encodeBlock } from "../../protocol/block/block-codec.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { PeerError } from "../p2p/errors.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { type Ancestor, download } from "./download.ts";
import { isMisbehaviour } from "./is-misbehaviour.ts";
import { PeerBackoffs } from "./peer-backoffs.ts";

/** Maximum length of a side branch, from the fork point. */
const MAX_BRANCH = 3_600;
/** Maximum bytes of a side branch, which is held in memory, unverified, until it is complete. */
const MAX_BRANCH_BYTES = 64 << 20;

/** Progress of a synchronisation. */
export interface SyncProgress {
  readonly startingBlock: bigint;
  readonly currentBlock: bigint;
  readonly highestBlock: bigint;
}

/** Dependencies of a synchroniser. */
export interface SynchroniserParts {
  readonly chain: Blockchain;
  readonly importer: BlockImporter;
  readonly timers: Timers;
  readonly logger: Logger;
  /** All peers whose head is known. */
  peers(): Iterable<ChainPeer>;
  /** Disconnects and bans a misbehaving peer. */
  ban(peer: ChainPeer, reason: string): void;
}

/** Synchronises with the highest head of any peer, one download at a time. */
export class Synchroniser {
  readonly #parts: SynchroniserParts;
  readonly #listeners = new Set<(progress: SyncProgress | undefined) => void>();
  readonly #backoffs: PeerBackoffs;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #target: { readonly peer: ChainPeer; readonly startingBlock: bigint } | undefined;

  constructor(parts: SynchroniserParts) {
    this.#parts = parts;
    this.#backoffs = new PeerBackoffs(parts.timers, () => this.wake());
  }

  /** Progress of the current download; undefined if there is none. */
  progress(): SyncProgress | undefined {
    if (this.#target === undefined) return undefined;
    const { peer, startingBlock } = this.#target;
    return {
      startingBlock,
      currentBlock: this.#parts.chain.head.header.number,
      highestBlock: peer.headNumber,
    };
  }

  /** Calls a listener when a download starts and when it ends. Returns the unsubscribe function. */
  onChange(listener: (progress: SyncProgress | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Checks whether a peer is ahead, and downloads from it if so. */
  wake(): void {
    if (this.#running !== undefined || this.#abort.signal.aborted) return;
    const peer = this.#bestPeer();
    if (peer === undefined) return;
    this.#running = this.#syncWith(peer).finally(() => {
      this.#running = undefined;
      this.wake();
    });
  }

  /** Stops the download; resolves once nothing is being imported any more. */
  async stop(): Promise<void> {
    this.#abort.abort(new PeerError("MESSAGE", "the node is stopping"));
    await this.#running;
    this.#backoffs.clear();
  }

  #bestPeer(): ChainPeer | undefined {
    const own = this.#parts.chain.tip.header.number;
    let best: ChainPeer | undefined;
    for (const peer of this.#parts.peers()) {
      if (peer.headNumber <= own || this.#backoffs.has(peer)) continue;
      if (best === undefined || isBetter(peer, best)) best = peer;
    }
    return best;
  }

  async #syncWith(peer: ChainPeer): Promise<void> {
    this.#target = { peer, startingBlock: this.#parts.chain.head.header.number };
    this.#notify();
    try {
      await this.#catchUp(peer);
    } catch (error) {
      this.#punish(peer, error);
    } finally {
      this.#target = undefined;
      this.#notify();
    }
  }

  async #catchUp(peer: ChainPeer): Promise<void> {
    const { chain, importer } = this.#parts;
    const { signal } = this.#abort;
    const claimed = peer.headNumber;
    const ancestor = await this.#commonAncestor(peer);
    const source = {
      master: peer,
      peersWith: (number: bigint) =>
        [...this.#parts.peers()].filter(({ headNumber }) => headNumber >= number),
      onFault: (other: ChainPeer, error: unknown) => this.#punish(other, error),
    };
    const blocks = download(source, ancestor, signal);
    if (ancestor.number === chain.tip.header.number) {
      await importer.importAll(blocks, { signal });
    } else {
      const branch: Block[] = [];
      let room = MAX_BRANCH_BYTES;
      for await (const block of blocks) {
        room -= encodeBlock(block).length;
        if (branch.push(block) > MAX_BRANCH || room < 0) {
          throw new PeerError("MESSAGE", "the other branch is too long", { isInnocent: true });
        }
      }
      await importer.importBranch(branch);
    }
    // A head that is announced but never delivered would be requested forever.
    if (chain.tip.header.number < claimed) this.#backoffs.add(peer, true);
    else this.#backoffs.reset(peer);
  }

  /**
   * The latest block in common with a peer, usually the local head. @throws PeerError if there is none within `MAX_BRANCH` blocks
   */
  async #commonAncestor(peer: ChainPeer): Promise<Ancestor> {
    const { chain } = this.#parts;
    const tip = chain.tip.header.number;
    for (let step = 1n, number = tip; ; step *= 2n) {
      const [header] = await peer.request("headersRequest", {
        ...{ origin: { number }, amount: 1n, skip: 0n, reverse: false },
      });
      const own = chain.ancestry.hash(number);
      if (header !== undefined && own !== undefined && equalBytes(blockHash(header), own))
        return { number, hash: own };
      if (number === 0n) throw new PeerError("MESSAGE", "nothing in common with the peer");
      number = number > step ? number - step : 0n;
      if (tip - number > BigInt(MAX_BRANCH))
        throw new PeerError("MESSAGE", "the peer's branch leaves the chain too far back", {
          isInnocent: true,
        });
    }
  }

  /** Bans a misbehaving peer, and backs off from a slow or lost one. */
  #punish(peer: ChainPeer, error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.logger.warn("download failed", { peer: peer.id.slice(0, 16), reason: reason.slice(0, 200) });
    if (isMisbehaviour(error)) this.#parts.ban(peer, reason);
    else this.#backoffs.add(peer);
  }

  #notify(): void {
    const progress = this.progress();
    for (const listener of this.#listeners) listener(progress);
  }
}

/**
 * Prefers peers that this node has dialled to inbound ones, whatever these claim; then the higher head.
 */
function isBetter(a: ChainPeer, b: ChainPeer): boolean {
  if (a.session.isInbound !== b.session.isInbound) return b.session.isInbound;
  return a.headNumber > b.headNumber;
}
