import type { ExecutedBlock } from "../../ledger/chain/chain.ts";
import type { SidecarTable } from "../../ledger/chain/tables/sidecar-table.ts";
import { retryUntilLoadedAsync } from "../../ledger/state/missing-state.ts";
import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import { BlobVerdicts, type BlobVerifier } from "../../ledger/txpool/rules/blob-proofs.ts";
import { checkSidecar } from "../../ledger/txpool/rules/blob-rules.ts";
import type { Cancel, Clock, Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import { MAX_SIDECARS, type MessageValue } from "../protocol/chain-messages.ts";
import type { SidecarPlace } from "../protocol/parts.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Version of the protocol that has sidecars. */
const SINCE = 67;
/** Age of a block beyond which no node keeps its sidecars: three weeks. @see reference node v2.2.1 */
const KEPT_MS = 21 * 86_400_000;
/** Milliseconds between two requests. */
const INTERVAL_MS = 100;
/** Delay before a sidecar that a peer lacked is requested from the next one, and the number of peers tried in all. */
const RETRY_MS = 10_000;
const MAX_TRIES = 5;
/** Maximum number of sidecars requested at the same time; each is a few hundred bytes here. */
const MAX_MISSING = 4_096;
/** Peer types in the order in which they are queried. */
const ORDER: readonly number[] = [ConnectionType.cn, ConnectionType.pn, ConnectionType.en];

/** Dependencies of the search for missing sidecars. */
export interface MissingSidecarsParts {
  readonly table: Pick<SidecarTable, "get" | "keep">;
  readonly verifier: BlobVerifier;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  peers(): Iterable<ChainPeer>;
  /** Ends the session of a liar. */
  ban(peer: ChainPeer, reason: string): void;
}

interface Missing {
  readonly place: SidecarPlace;
  readonly transaction: Transaction;
  tries: number;
  /** On the monotonic clock, in milliseconds. */
  nextAt: number;
}

/**
 * Fetches the blob sidecars of new blocks, which come without them, unless the pool had them: a few at a time, from the peer
 * with the highest head, consensus nodes first, then from the next one if that has none. Only verified sidecars are kept.
 */
export class MissingSidecars {
  readonly #parts: MissingSidecarsParts;
  readonly #verdicts: BlobVerdicts;
  readonly #missing = new Set<Missing>();
  #timer: Cancel | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(parts: MissingSidecarsParts) {
    this.#parts = parts;
    this.#verdicts = new BlobVerdicts(parts.verifier);
  }

  /** Number of missing sidecars. */
  get size(): number {
    return this.#missing.size;
  }

  /** Looks for the missing sidecars of blocks that joined the chain. */
  joined(blocks: readonly ExecutedBlock[]): void {
    const { clock, logger } = this.#parts;
    for (const { block } of blocks) {
      if (Number(block.header.time) * 1_000 < clock.now() - KEPT_MS) continue;
      for (const [index, transaction] of block.transactions.entries())
        if (transaction.blobVersionedHashes !== undefined) this.#add(block.header.number, index, transaction);
    }
    if (this.#missing.size === MAX_MISSING) logger.debug("too many sidecars are missing", { MAX_MISSING });
    this.#askIn(0);
  }

  /** Forgets the missing sidecars of blocks that left the chain. */
  left(blocks: readonly ExecutedBlock[]): void {
    const numbers = new Set(blocks.map(({ block }) => block.header.number));
    for (const one of this.#missing) if (numbers.has(one.place.blockNumber)) this.#missing.delete(one);
  }

  /** Stops requesting. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    this.#missing.clear();
  }

  #add(blockNumber: bigint, index: number, transaction: Transaction): void {
    const { table, clock } = this.#parts;
    if (this.#missing.size >= MAX_MISSING || table.get(blockNumber, index) !== undefined) return;
    const place = {
      blockNumber,
      transactionIndex: BigInt(index),
      transactionHash: transactionHash(transaction),
    };
    this.#missing.add({ place, transaction, tries: 0, nextAt: clock.elapsed() });
  }

  #askIn(delayMs: number): void {
    if (this.#isClosed || this.#isAsking || this.#missing.size === 0) return;
    this.#timer?.();
    this.#timer = this.#parts.timers.schedule(delayMs, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { clock, logger } = this.#parts;
    const now = clock.elapsed();
    const [first] = [...this.#missing].sort((a, b) => a.nextAt - b.nextAt);
    if (first === undefined) return;
    const peer = first.nextAt > now ? undefined : this.#peerFor(first.tries);
    if (peer === undefined) {
      this.#askIn(first.nextAt > now ? first.nextAt - now : RETRY_MS);
      return;
    }
    const isDue = ({ nextAt, tries }: Missing) => nextAt <= now && tries === first.tries;
    const wanted = [...this.#missing].filter(isDue).slice(0, MAX_SIDECARS);
    this.#isAsking = true;
    try {
      await this.#askOf(peer, wanted);
    } catch (error) {
      logger.debug("sidecars not fetched", { reason: String((error as Error).message).slice(0, 200) });
    } finally {
      this.#isAsking = false;
      for (const one of wanted) this.#later(one);
      this.#askIn(INTERVAL_MS);
    }
  }

  /** Peers by type and height; each attempt queries the next one. */
  #peerFor(tries: number): ChainPeer | undefined {
    const able = [...this.#parts.peers()].filter(({ version }) => version >= SINCE);
    const place = ({ session }: ChainPeer) => ORDER.indexOf(session.connectionType);
    able.sort((a, b) => place(a) - place(b) || Number(b.headNumber - a.headNumber));
    return able[tries % able.length];
  }

  /** Keeps what a peer has once it is verified. @throws PeerError if it does not answer; errors of the disk */
  async #askOf(peer: ChainPeer, wanted: readonly Missing[]): Promise<void> {
    const places = wanted.map(({ place }) => place);
    for (const { transactionHash: hash, sidecar } of await peer.request("sidecarsRequest", places)) {
      const one = wanted.find(({ place }) => equalBytes(place.transactionHash, hash));
      if (one === undefined || !this.#missing.has(one)) continue;
      if (!(await this.#isRight(peer, one, sidecar))) return;
      if (!this.#missing.delete(one)) continue; // its block is gone
      await this.#parts.table.keep(one.place.blockNumber, Number(one.place.transactionIndex), sidecar);
    }
  }

  /** Whether a sidecar belongs to its transaction. A peer that sends a wrong one is banned. @throws if that cannot be determined */
  async #isRight(
    peer: ChainPeer,
    { transaction: { blobVersionedHashes } }: Missing,
    sidecar: MessageValue<"sidecars">[number]["sidecar"],
  ): Promise<boolean> {
    try {
      await retryUntilLoadedAsync(() => checkSidecar({ blobVersionedHashes, sidecar }, this.#verdicts));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionPoolError) || error.code !== "WRONG_SIDECAR") throw error;
      this.#parts.ban(peer, error.message);
      return false;
    }
  }

  /** Sidecars not found are retried after a while, and eventually given up. */
  #later(one: Missing): void {
    one.tries++;
    one.nextAt = this.#parts.clock.elapsed() + RETRY_MS;
    if (one.tries >= MAX_TRIES) this.#missing.delete(one);
  }
}
