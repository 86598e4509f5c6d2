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

/** First protocol version with sidecars. */
const MIN_VERSION = 67;
/** How long nodes keep the sidecars of a block: three weeks. @see reference node v2.2.1 */
const RETENTION_MS = 21 * 86_400_000;
/** Milliseconds between requests. */
const INTERVAL_MS = 100;
/** Delay before a sidecar is requested from the next peer, and the maximum number of attempts. */
const RETRY_MS = 10_000;
const MAX_TRIES = 5;
/** Maximum number of missing sidecars tracked; each takes a few hundred bytes. */
const MAX_MISSING = 4_096;
/** Peer types by preference. */
const TYPE_ORDER: readonly number[] = [ConnectionType.cn, ConnectionType.pn, ConnectionType.en];

/** Dependencies of the search for missing sidecars. */
export interface MissingSidecarsParts {
  readonly table: Pick<SidecarTable, "get" | "keep">;
  readonly verifier: BlobVerifier;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  peers(): Iterable<ChainPeer>;
  /** Disconnects and bans a misbehaving peer. */
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
 * Fetches the blob sidecars of new blocks, which arrive without them, unless the pool had them: a few at a time, from the peer with the
 * highest head, consensus nodes first, and from the next peer if that one has none. Only verified sidecars are kept.
 */
export class MissingSidecars {
  readonly #parts: MissingSidecarsParts;
  readonly #verdicts: BlobVerdicts;
  readonly #missing = new Set<Missing>();
  #timer: Cancel | undefined;
  #isRequesting = false;
  #isClosed = false;

  constructor(parts: MissingSidecarsParts) {
    this.#parts = parts;
    this.#verdicts = new BlobVerdicts(parts.verifier);
  }

  /** Number of missing sidecars. */
  get size(): number {
    return this.#missing.size;
  }

  /** Starts fetching the missing sidecars of blocks added to the chain. */
  joined(blocks: readonly ExecutedBlock[]): void {
    const { clock, logger } = this.#parts;
    for (const { block } of blocks) {
      if (Number(block.header.time) * 1_000 < clock.now() - RETENTION_MS) continue;
      for (const [index, transaction] of block.transactions.entries())
        if (transaction.blobVersionedHashes !== undefined) this.#add(block.header.number, index, transaction);
    }
    if (this.#missing.size === MAX_MISSING) logger.debug("too many sidecars are missing", { MAX_MISSING });
    this.#schedule(0);
  }

  /** Forgets the missing sidecars of blocks removed from the chain. */
  left(blocks: readonly ExecutedBlock[]): void {
    const numbers = new Set(blocks.map(({ block }) => block.header.number));
    for (const one of this.#missing) if (numbers.has(one.place.blockNumber)) this.#missing.delete(one);
  }

  /** Stops fetching. */
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

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#isRequesting || this.#missing.size === 0) return;
    this.#timer?.();
    this.#timer = this.#parts.timers.schedule(delayMs, () => void this.#requestNext());
  }

  async #requestNext(): Promise<void> {
    const { clock, logger } = this.#parts;
    const now = clock.elapsed();
    const [first] = [...this.#missing].sort((a, b) => a.nextAt - b.nextAt);
    if (first === undefined) return;
    const peer = first.nextAt > now ? undefined : this.#peerFor(first.tries);
    if (peer === undefined) {
      this.#schedule(first.nextAt > now ? first.nextAt - now : RETRY_MS);
      return;
    }
    const isDue = ({ nextAt, tries }: Missing) => nextAt <= now && tries === first.tries;
    const wanted = [...this.#missing].filter(isDue).slice(0, MAX_SIDECARS);
    this.#isRequesting = true;
    try {
      await this.#requestFrom(peer, wanted);
    } catch (error) {
      logger.debug("sidecars not fetched", { reason: String((error as Error).message).slice(0, 200) });
    } finally {
      this.#isRequesting = false;
      for (const one of wanted) this.#retryLater(one);
      this.#schedule(INTERVAL_MS);
    }
  }

  /** The peer for an attempt, ordered by type and height. */
  #peerFor(tries: number): ChainPeer | undefined {
    const able = [...this.#parts.peers()].filter(({ version }) => version >= MIN_VERSION);
    const place = ({ session }: ChainPeer) => TYPE_ORDER.indexOf(session.connectionType);
    able.sort((a, b) => place(a) - place(b) || Number(b.headNumber - a.headNumber));
    return able[tries % able.length];
  }

  /** Requests sidecars and keeps the verified ones. @throws PeerError if the peer does not respond; errors of the disk */
  async #requestFrom(peer: ChainPeer, wanted: readonly Missing[]): Promise<void> {
    const places = wanted.map(({ place }) => place);
    for (const { transactionHash: hash, sidecar } of await peer.request("sidecarsRequest", places)) {
      const one = wanted.find(({ place }) => equalBytes(place.transactionHash, hash));
      if (one === undefined || !this.#missing.has(one)) continue;
      if (!(await this.#isValid(peer, one, sidecar))) return;
      if (!this.#missing.delete(one)) continue; // its block was removed
      await this.#parts.table.keep(one.place.blockNumber, Number(one.place.transactionIndex), sidecar);
    }
  }

  /** Whether a sidecar is valid for its transaction. Bans the peer if not. @throws if it cannot be verified */
  async #isValid(
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

  /** Schedules the next attempt, or gives up. */
  #retryLater(one: Missing): void {
    one.tries++;
    one.nextAt = this.#parts.clock.elapsed() + RETRY_MS;
    if (one.tries >= MAX_TRIES) this.#missing.delete(one);
  }
}
