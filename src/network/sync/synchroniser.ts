import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { BlockImporter } from "../../ledger/chain/import/importer.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { unlessAborted } from "../../platform/runtime/unless-aborted.ts";
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
/** A download without a new block for this long gives way to a better peer that has one. */
const GIVE_WAY_MS = 2_000;
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

/** The download in progress. */
interface SyncTarget {
  readonly peer: ChainPeer;
  readonly startingBlock: bigint;
  readonly abort: AbortController;
  isWatched: boolean;
  /** Whether a block has come: until then the peer may have claimed anything. */
  hasDelivered: boolean;
}

/** Synchronises with the highest head of any peer, one download at a time. */
export class Synchroniser {
  readonly #parts: SynchroniserParts;
  readonly #listeners = new Set<(progress: SyncProgress | undefined) => void>();
  readonly #backoffs: PeerBackoffs;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #target: SyncTarget | undefined;
  /** Peers that have delivered all that they claimed to have. */
  readonly #proven = new WeakSet<ChainPeer>();

  constructor(parts: SynchroniserParts) {
    this.#parts = parts;
    this.#backoffs = new PeerBackoffs(parts.timers, () => this.wake());
  }

  /** Progress of the current download; undefined if there is none, or it has brought no block yet. */
  progress(): SyncProgress | undefined {
    if (!this.#target?.hasDelivered) return undefined;
    const { peer, startingBlock } = this.#target;
    return {
      startingBlock,
      currentBlock: this.#parts.chain.head.header.number,
      highestBlock: peer.headNumber,
    };
  }

  /** Calls a listener when a download brings its first block and when it ends. Returns the unsubscribe function. */
  onChange(listener: (progress: SyncProgress | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Checks whether a peer is ahead, and downloads from it if so. */
  wake(): void {
    if (this.#isStopped) return;
    const peer = this.#bestPeer();
    if (peer === undefined) return;
    if (this.#running !== undefined) {
      this.#watch(peer);
      return;
    }
    this.#running = this.#syncWith(peer).finally(() => {
      this.#running = undefined;
      this.wake();
    });
  }

  /** Stops the download; resolves once nothing is being imported any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#target?.abort.abort(new PeerError("MESSAGE", "the node is stopping"));
    await this.#running;
    this.#backoffs.clear();
  }

  #bestPeer(): ChainPeer | undefined {
    const own = this.#parts.chain.tip.header.number;
    let best: ChainPeer | undefined;
    for (const peer of this.#parts.peers()) {
      if (peer.headNumber <= own || this.#backoffs.has(peer)) continue;
      if (best === undefined || this.#isBetter(peer, best)) best = peer;
    }
    return best;
  }

  /** Prefers peers of a higher rank, whatever the others claim; then the higher head. */
  #isBetter(a: ChainPeer, b: ChainPeer): boolean {
    const [rank, other] = [this.#rank(a), this.#rank(b)];
    return rank === other ? a.headNumber > b.headNumber : rank > other;
  }

  /** Peers that this node has dialled rank above inbound ones, and among either, proven ones above strangers. */
  #rank(peer: ChainPeer): number {
    return (peer.session.isInbound ? 0 : 2) + (this.#proven.has(peer) ? 1 : 0);
  }

  /** Ends the download in favour of a peer of a higher rank, unless it adds a block within two seconds: its peer may never respond. */
  #watch(better: ChainPeer): void {
    const target = this.#target;
    if (target === undefined || target.isWatched || this.#rank(better) <= this.#rank(target.peer)) return;
    const before = this.#parts.chain.tip.header.number;
    target.isWatched = true;
    this.#parts.timers.schedule(GIVE_WAY_MS, () => {
      target.isWatched = false;
      const best = this.#bestPeer();
      const isSlow = this.#parts.chain.tip.header.number === before;
      if (!isSlow || best === undefined || this.#rank(best) <= this.#rank(target.peer)) return;
      target.abort.abort(
        new PeerError("MESSAGE", "no block within two seconds, and a better peer has one", {
          isInnocent: true,
        }),
      );
    });
  }

  async #syncWith(peer: ChainPeer): Promise<void> {
    const startingBlock = this.#parts.chain.head.header.number;
    const abort = new AbortController();
    this.#target = { peer, startingBlock, abort, isWatched: false, hasDelivered: false };
    try {
      await this.#catchUp(peer, abort.signal);
    } catch (error) {
      this.#punish(peer, error);
    } finally {
      this.#target = undefined;
      this.#notify();
    }
  }

  async #catchUp(peer: ChainPeer, signal: AbortSignal): Promise<void> {
    const { chain, importer } = this.#parts;
    const claimed = peer.headNumber;
    const ancestor = await this.#commonAncestor(peer, signal);
    const source = {
      master: peer,
      peersWith: (number: bigint) =>
        [...this.#parts.peers()].filter(({ headNumber }) => headNumber >= number),
      onFault: (other: ChainPeer, error: unknown) => this.#punish(other, error),
    };
    const blocks = this.#reported(download(source, ancestor, signal));
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
    else {
      this.#backoffs.reset(peer);
      this.#proven.add(peer);
    }
  }

  /**
   * The latest block in common with a peer, usually the local head. @throws PeerError if there is none within `MAX_BRANCH` blocks
   */
  async #commonAncestor(peer: ChainPeer, signal: AbortSignal): Promise<Ancestor> {
    const { chain } = this.#parts;
    const tip = chain.tip.header.number;
    for (let step = 1n, number = tip; ; step *= 2n) {
      const request = { origin: { number }, amount: 1n, skip: 0n, reverse: false };
      const [header] = await unlessAborted(peer.request("headersRequest", request), signal);
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
    if (this.#isStopped) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.logger.warn("download failed", { peer: peer.id.slice(0, 16), reason: reason.slice(0, 200) });
    if (isMisbehaviour(error)) this.#parts.ban(peer, reason);
    else {
      this.#backoffs.add(peer);
      this.#proven.delete(peer);
    }
  }

  /** Passes blocks on, and tells the listeners of the first one. */
  async *#reported(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
    for await (const block of blocks) {
      const target = this.#target;
      if (target !== undefined && !target.hasDelivered) {
        target.hasDelivered = true;
        this.#notify();
      }
      yield block;
    }
  }

  #notify(): void {
    const progress = this.progress();
    for (const listener of this.#listeners) listener(progress);
  }
}
