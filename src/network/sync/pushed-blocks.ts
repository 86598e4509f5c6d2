import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { BlockImporter } from "../../ledger/chain/import/importer.ts";
import { runPaced } from "../../platform/runtime/turns/pace.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { withoutSidecar } from "../../protocol/transaction/encoding.ts";
import type { MessageValue } from "../protocol/chain-messages.ts";
import type { PushedClaim } from "../protocol/parts.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { isBodyOf } from "./is-body-of.ts";
import { isDecidedBlock, isMisbehaviour } from "./is-misbehaviour.ts";
import { KnownHashes } from "./known-hashes.ts";

/** Maximum number of failed blocks remembered, which validators had decided, so that none is executed repeatedly. */
const MAX_REMEMBERED_FAILURES = 64;

/** Dependencies of the import of pushed blocks. */
export interface PushedBlocksParts {
  readonly chain: Blockchain;
  readonly importer: BlockImporter;
  readonly logger: Logger;
  /** Called after a block was imported. */
  onImported(): void;
  /** Called when a peer seems to have blocks that are missing here. */
  onGap(): void;
  /** Disconnects and bans a misbehaving peer. */
  ban(peer: ChainPeer, reason: string): void;
}

/** Handles whole blocks that peers push: imports the one that follows the tip. */
export class PushedBlocks {
  readonly #parts: PushedBlocksParts;
  readonly #failed = new KnownHashes(MAX_REMEMBERED_FAILURES);

  constructor(parts: PushedBlocksParts) {
    this.#parts = parts;
  }

  /** Whether a block follows the tip. Records that the peer has it. */
  wants(peer: ChainPeer, { header, totalBlockScore }: PushedClaim): boolean {
    const hash = blockHash(header);
    peer.knownBlocks.add(bytesToHex(hash));
    if (totalBlockScore !== header.number + 1n || this.#failed.has(bytesToHex(hash))) return false;
    if (totalBlockScore > peer.head.totalBlockScore) peer.head = { hash, totalBlockScore };
    if (equalBytes(header.parentHash, this.#parts.chain.tip.hash)) return true;
    this.#parts.onGap();
    return false;
  }

  /**
   * Handles a block; the tip may have moved since it was wanted. The reference's consensus nodes send blocks with blob sidecars, which no
   * root covers: these are dropped.
   */
  async take(
    peer: ChainPeer,
    { block: { header, transactions }, totalBlockScore }: MessageValue<"newBlock">,
  ): Promise<void> {
    if (!this.wants(peer, { header, totalBlockScore })) return;
    const block = { header, transactions: transactions.map(withoutSidecar) };
    if (await runPaced(peer.session.pace, isBodyOf(header, block.transactions)))
      await this.#import(peer, block);
    else this.#parts.ban(peer, "a block whose transactions are not those of its header");
  }

  async #import(peer: ChainPeer, block: Block): Promise<void> {
    const { importer, logger, ban, onImported } = this.#parts;
    try {
      await importer.import(block);
      onImported();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isDecidedBlock(error)) this.#fail(peer, block, reason.slice(0, 200));
      else if (isMisbehaviour(error)) ban(peer, reason);
      else logger.debug("block not imported", { reason: reason.slice(0, 200) });
    }
  }

  /**
   * The Go node votes for a block, and relays it, before it executes it. A peer that pushes a decided block that fails is not at fault,
   * and does not have the block in its chain either.
   */
  #fail(peer: ChainPeer, { header }: Block, reason: string): void {
    const { number, parentHash } = header;
    const hash = blockHash(header);
    if (equalBytes(peer.head.hash, hash)) peer.head = { hash: parentHash, totalBlockScore: number };
    const key = bytesToHex(hash);
    if (!this.#failed.has(key))
      this.#parts.logger.warn("validators have decided a block that fails", { number, hash: key, reason });
    this.#failed.add(key);
  }
}
